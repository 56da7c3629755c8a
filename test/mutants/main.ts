import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../src/postgres/index.ts'
import { mutants, subjects } from './list.ts'
import type { Mutant } from './mutant.ts'
import { type Outcome, renderPage } from './page.ts'
import { Copy, type Trial } from './trial.ts'

const usage = `npm run mutants -- [SUBJECT or part of a NAME…] [--save]
subjects: ${Object.keys(subjects).join(', ')}; without any, all
--save    writes docs/mutants.md; of all mutants only`

const root = join(import.meta.dirname, '../..')

function readSettings(): { chosen: Mutant[]; save: boolean } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    // npm keeps the options that it is given without a -- before them, and tells of them in the environment.
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      save: { type: 'boolean', default: process.env.npm_config_save === 'true' },
    },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const matching = (word: string) =>
    Object.hasOwn(subjects, word) ? subjects[word] : mutants.filter(({ name }) => name.includes(word))
  const nothing = positionals.find((word) => matching(word)?.length === 0)
  if (nothing !== undefined) throw new Error(`no mutant is named ${nothing}`)
  const chosen = positionals.length === 0 ? mutants : positionals.flatMap((word) => matching(word) ?? [])
  if (values.save && chosen !== mutants) throw new Error('--save needs all mutants')
  return { chosen, save: values.save }
}

/** Tries the mutants one by one; gives what came of each. */
async function tryAll(copy: Copy, chosen: Mutant[]): Promise<Outcome[]> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))].sort()
  const sound = await copy.run(files)
  if (sound.kind !== 'green') throw new Error(`the tests are not green without a mutant: ${describe(sound)}`)
  console.log(`${files.length} test files are green without a mutant`)
  const outcomes: Outcome[] = []
  for (const mutant of chosen) {
    const started = performance.now()
    const trial = await copy.try(mutant)
    outcomes.push({ mutant, trial })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${mutant.name} (${seconds} s)\n    ${mutant.breaks}\n    ${describe(trial)}`)
  }
  return outcomes
}

function describe(trial: Trial): string {
  if (trial.kind === 'green') return 'SURVIVED'
  if (trial.kind === 'broken') return `BROKEN: no test failed, but the run did:\n${trial.why}`
  return `killed by ${trial.file}: ${trial.test}`
}

async function main(): Promise<boolean> {
  const { chosen, save } = readSettings()
  const dataDir = mkdtempSync(join(tmpdir(), 'supply-ordering-mutants-data-'))
  const server = await startPostgres({ dataDir, durable: false })
  const copy = new Copy(root, server.url)
  const end = async () => {
    copy.remove()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => end().finally(() => process.exit(1)))
  }
  try {
    const outcomes = await tryAll(copy, chosen)
    const alive = outcomes.filter(({ trial }) => trial.kind !== 'red').map(({ mutant }) => mutant.name)
    console.log(`\n${outcomes.length - alive.length} of ${outcomes.length} mutants were killed`)
    if (alive.length > 0) console.log(`not killed: ${alive.join('; ')}`)
    else if (save) writeFileSync(join(root, 'docs/mutants.md'), renderPage(outcomes))
    return alive.length === 0
  } finally {
    await end()
  }
}

main().then(
  (allKilled) => process.exit(allKilled ? 0 : 1),
  (error: Error) => {
    console.error(`${error.message}\n\n${usage}`)
    process.exit(1)
  },
)
