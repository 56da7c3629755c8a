import { randomInt } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runStorm } from './storm.ts'

const usage = `npm run storm -- [--seed N] [--minutes N] [--partners N] [--apis N] [--workers N] [--pause MS] [--fault MS] [--log FILE]
--seed N        decides operations and faults; without it, one is drawn and printed
--minutes N     how long the storm lasts, 2 without it; then it calms down and is compared
--partners N    how many partners order, 24 without it
--apis N        API processes, 2 without it
--workers N     worker processes, 2 without it
--pause MS      how long a partner waits between two operations, on average; 1000 without it
--fault MS      how long it takes from one fault to the next, on average, of processes and of the database; 4000 without it
--log FILE      takes what the processes complain of`

const defaults = { seed: randomInt(2 ** 31), minutes: 2, partners: 24, apis: 2, workers: 2, pause: 1_000, fault: 4_000 }

// npm keeps the options that it is given without a -- before them, and tells of them in the environment.
const kept = (name: string) => process.env[`npm_config_${name}`]

type Settings = typeof defaults & { log: string | undefined }

function readSettings(): Settings {
  const names = Object.keys(defaults) as (keyof typeof defaults)[]
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      log: { type: 'string' },
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const given: { [name: string]: unknown } = values
  const settings = { ...defaults }
  for (const name of names) {
    const value = Number(given[name] ?? kept(name) ?? defaults[name])
    if (!(value >= 0)) throw new Error(`--${name} must be a number`)
    settings[name] = value
  }
  return { ...settings, log: values.log }
}

function readSettingsOrExit(): Settings {
  try {
    return readSettings()
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}

const { seed, minutes, partners, apis, workers, pause, fault, log } = readSettingsOrExit()
const began = Date.now()
const say = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}`)
say(`seed ${seed}`)
const hear = (line: string) => log !== undefined && appendFileSync(log, `${line}\n`)
const options = { seed, seconds: minutes * 60, partners, apis, workers, pauseMs: pause, faultMs: fault, say, hear }
const report = await runStorm(options).catch((error: unknown) => {
  console.error('the storm broke down itself', error)
  process.exit(2)
})
const width = Math.max(...report.figures().map(([what]) => what.length))
for (const [what, count] of report.figures()) console.log(`${what.padEnd(width)}  ${String(count).padStart(9)}`)
console.log(`seed ${seed}: ${report.differences().length} differences`)
process.exit(report.differences().length === 0 ? 0 : 1)
