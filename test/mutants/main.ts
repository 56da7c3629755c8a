import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../src/embedded_postgres/start.ts'
import { mutants } from './list.ts'
import { type Mutant, nameOf } from './mutant.ts'
import { Copy, type Trial } from './trial.ts'

const usage = 'npm run mutants -- [part of a GUARD…]: without any, all mutants'

const root = join(import.meta.dirname, '../..')

function chosenMutants(): Mutant[] {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h', default: false } },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const matching = (word: string) => mutants.filter(({ guard }) => guard.includes(word))
  const unknown = positionals.find((word) => matching(word).length === 0)
  if (unknown !== undefined) throw new Error(`no mutant has a guard with "${unknown}"`)
  return positionals.length === 0 ? mutants : positionals.flatMap(matching)
}

/** Tries the mutants one by one. Returns the names of those that no test noticed. */
async function tryAll(copy: Copy, chosen: Mutant[]): Promise<string[]> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))].sort()
  const sound = await copy.run(files)
  if (sound.kind !== 'green') throw new Error(`the tests are not green without a mutant: ${describe(sound)}`)
  console.log(`${files.length} test files are green without a mutant`)
  const survivors: string[] = []
  for (const mutant of chosen) {
    const started = performance.now()
    const trial = await copy.try(mutant)
    if (trial.kind !== 'red') survivors.push(nameOf(mutant))
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${nameOf(mutant)}, ${seconds} s\n    ${describe(trial)}`)
  }
  return survivors
}

function describe(trial: Trial): string {
  if (trial.kind === 'green') return 'SURVIVED'
  if (trial.kind === 'broken') return `BROKEN: no test failed, but the run did:\n${trial.why}`
  return `killed by ${trial.file}: ${trial.test}`
}

async function main(): Promise<boolean> {
  const chosen = chosenMutants()
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
    const survivors = await tryAll(copy, chosen)
    console.log(`\n${chosen.length - survivors.length} of ${chosen.length} mutants were killed`)
    if (survivors.length > 0) console.log(`not killed: ${survivors.join('; ')}`)
    return survivors.length === 0
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
