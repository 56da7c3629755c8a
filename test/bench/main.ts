import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAlone } from './alone.ts'
import { measureBacklog, sceneNames } from './backlog.ts'
import { type Bench, bestRate, measureBaseline } from './baseline.ts'
import { compareCheckouts } from './compare.ts'
import { measureFairness } from './fairness.ts'
import { renderTable } from './figures.ts'
import { measureGrowth } from './growth.ts'
import { measureIntake } from './intake.ts'
import { measureSoak } from './soak.ts'
import { type Stage, setStage } from './stage.ts'
import { measureStock } from './stock.ts'
import { type Findings, machineName, save, tablesOf } from './summary.ts'
import { measureMemory, measureWhole } from './whole.ts'

const parts: { [name: string]: (bench: Bench) => Promise<Partial<Findings>> } = {
  intake: async (bench) => ({ intake: await measureIntake(bench) }),
  whole: async (bench) => ({ whole: await measureWhole(bench) }),
  fairness: async (bench) => ({ fairness: await measureFairness(bench) }),
  backlog: async (bench) => ({ backlog: await measureBacklog(bench) }),
  growth: async (bench) => ({ growth: await measureGrowth(bench) }),
  memory: async (bench) => ({ memory: await measureMemory(bench) }),
  soak: async (bench) => ({ soak: await measureSoak(bench) }),
  alone: async (bench) => ({ alone: await measureAlone(bench) }),
  stock: async (bench) => ({ stock: await measureStock(bench) }),
  compare: async (bench) => ({ comparison: await compareCheckouts(bench) }),
}
/** The parts that run only when they are named. */
const byName = ['backlog', 'soak', 'alone', 'stock', 'compare']
const usual = Object.keys(parts).filter((name) => !byName.includes(name))

const usage = `npm run bench -- [PART…] [--json FILE] [--save] [--orders N] [--rungs N] [--items N] [--scenes A,B] [--minutes N] [--pairs N] [--supplier-ms N] [--quick]
parts: ${Object.keys(parts).join(', ').replace('compare', 'compare CHECKOUT')}; without any, all but ${byName.join(', ')}
--json FILE        writes all figures
--save             writes docs/bench.json and the table of docs/benchmarks.md; of all but ${byName.join(', ')}
--orders N         of the grown database, 100000 without it
--rungs N          how many of their events wait for another attempt, one in a hundred without it
--items N          of the backlog, 50000 without it
--scenes A,B       of the backlog: ${sceneNames.join(', ')}
--minutes N        of the soak, 60 without it
--pairs N          of turns of compare, 5 without it
--supplier-ms N    how long the supplier takes for an item, 0 without it
--quick            a fifth of the time: shows that all works, and not how fast`

type Settings = {
  names: string[]
  json: string | undefined
  save: boolean
  quick: boolean
  orders: number
  rungs: number
  items: number
  scenes: string[]
  minutes: number
  checkout: string | undefined
  pairs: number
  supplierMs: number
}

// npm keeps the options that it is given without a -- before them, and tells of them in the environment.
const kept = (name: string) => process.env[`npm_config_${name}`]

function readSettings(): Settings {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'string' },
      save: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: kept('quick') === 'true' },
      orders: { type: 'string', default: kept('orders') ?? '100000' },
      rungs: { type: 'string', default: kept('rungs') },
      items: { type: 'string', default: kept('items') ?? '50000' },
      scenes: { type: 'string', default: kept('scenes') ?? sceneNames.join(',') },
      minutes: { type: 'string', default: kept('minutes') ?? '60' },
      pairs: { type: 'string', default: kept('pairs') ?? '5' },
      'supplier-ms': { type: 'string', default: kept('supplier_ms') ?? '0' },
    },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const compareAt = positionals.indexOf('compare')
  const [folder] = compareAt === -1 ? [] : positionals.splice(compareAt + 1, 1)
  const checkout = folder === undefined ? undefined : resolve(folder)
  if (compareAt !== -1 && !existsSync(join(checkout ?? '', 'node_modules'))) {
    throw new Error('compare needs the folder of another checkout, with its packages installed')
  }
  const wrong = positionals.filter((name) => !Object.hasOwn(parts, name))
  if (wrong.length > 0) throw new Error(`there is no part ${wrong.join(', ')}`)
  const names = positionals.length === 0 ? usual : Object.keys(parts).filter((name) => positionals.includes(name))
  if (values.save && (values.quick || !usual.every((name) => names.includes(name)))) {
    throw new Error(`--save needs ${usual.join(', ')}, and no --quick`)
  }
  const orders = wholeNumber('orders', values.orders, [2_000, 10_000_000])
  const rungs = wholeNumber('rungs', values.rungs ?? String(Math.floor(orders / 100)), [100, orders])
  const items = wholeNumber('items', values.items, [1_000, 1_000_000])
  const scenes = values.scenes.split(',')
  if (!scenes.every((name) => sceneNames.includes(name))) throw new Error(`--scenes takes ${sceneNames.join(', ')}`)
  const minutes = wholeNumber('minutes', values.minutes, [1, 1_440])
  const pairs = wholeNumber('pairs', values.pairs, [1, 100])
  const supplierMs = wholeNumber('supplier-ms', values['supplier-ms'], [0, 10_000])
  return {
    names,
    json: values.json,
    save: values.save,
    quick: values.quick,
    orders,
    rungs,
    items,
    scenes,
    minutes,
    checkout,
    pairs,
    supplierMs,
  }
}

function wholeNumber(name: string, text: string, [least, most]: [number, number]): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new Error(`--${name} must be a whole number from ${least} to ${most}`)
}

async function measure(
  stage: Stage,
  { names, quick, orders, rungs, items, scenes, minutes, checkout, pairs }: Settings,
): Promise<Findings> {
  const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`)
  const ms = (seconds: number) => (quick ? seconds * 200 : seconds * 1000)
  const base = {
    stage,
    ms,
    quick,
    growthOrders: orders,
    growthRungs: rungs,
    backlogItems: items,
    scenes,
    soakMinutes: minutes,
    checkout,
    pairs,
  }
  say('the plain function')
  const baseline = await measureBaseline(base)
  const findings: Findings = {
    date: new Date().toISOString(),
    machine: machineName(),
    postgres: await stage.version(),
    quick,
    baselines: [baseline],
  }
  for (const name of names) {
    say(name)
    Object.assign(findings, await parts[name]?.({ ...base, plainRate: bestRate([baseline]) }))
  }
  say('the plain function again')
  findings.baselines.push(await measureBaseline(base))
  return findings
}

function readSettingsOrExit(): Settings {
  try {
    return readSettings()
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}

const settings = readSettingsOrExit()
const staging = setStage(settings.supplierMs, { countsStatements: settings.names.includes('alone') })
const close = () =>
  staging.then(
    (set) => set.close(),
    () => {},
  )
let closing: Promise<void> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    closing ??= close().finally(() => process.exit(130))
  })
}
try {
  const { stage } = await staging
  const findings = await measure(stage, settings)
  for (const table of tablesOf(findings)) console.log(renderTable(table))
  if (settings.json !== undefined) writeFileSync(settings.json, `${JSON.stringify(findings, undefined, 2)}\n`)
  if (settings.save) save(findings)
} catch (error) {
  // What fails because all is being ended is no failure.
  if (closing === undefined) {
    console.error(error)
    process.exitCode = 1
  }
}
closing ??= close()
await closing
process.exit()
