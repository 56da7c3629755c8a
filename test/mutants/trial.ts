import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { type Mutant, mutate, readGuarded } from './mutant.ts'

/** How a run of test files ended: the first test that failed, or why there was no such answer. */
export type Trial = { kind: 'green' } | { kind: 'red'; file: string; test: string } | { kind: 'broken'; why: string }

type Report = { testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[] }

const left = ['node_modules', '.git', '.data', 'coverage']
// A run takes seconds. A test that hangs because of the mutant fails after a minute.
const longestTestMs = 60_000
const longestMs = 300_000

/** A copy of the checkout in which mutants are tried, one after the other. The checkout itself is never written to. */
export class Copy {
  readonly #root: string
  readonly #copy = mkdtempSync(join(tmpdir(), 'supply-ordering-mutants-'))
  readonly #databaseUrl: string
  #running: ChildProcess | undefined

  /** `databaseUrl` is a superuser's: the tests make their databases there. */
  constructor(root: string, databaseUrl: string) {
    this.#root = root
    this.#databaseUrl = databaseUrl
    cpSync(root, this.#copy, {
      recursive: true,
      filter: (source) => relative(root, source) !== basename(source) || !left.includes(basename(source)),
    })
    symlinkSync(join(root, 'node_modules'), join(this.#copy, 'node_modules'))
  }

  /** Runs a mutant's test files with its fault. */
  async try(mutant: Mutant): Promise<Trial> {
    const { file, text } = mutate(readGuarded(this.#root), mutant)
    try {
      writeFileSync(join(this.#copy, file), text)
      return await this.run(mutant.tests)
    } finally {
      cpSync(join(this.#root, file), join(this.#copy, file))
    }
  }

  /** Runs test files until the first failure. */
  async run(tests: string[]): Promise<Trial> {
    const report = join(this.#copy, 'report.json')
    rmSync(report, { force: true })
    const options = ['--bail=1', `--testTimeout=${longestTestMs}`, '--reporter=json', `--outputFile=${report}`]
    const output = await this.#vitest(['run', ...tests, ...options])
    if (!existsSync(report)) return { kind: 'broken', why: lastLines(output.text) }
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
    for (const { name, assertionResults } of testResults) {
      const failed = assertionResults.find(({ status }) => status === 'failed')
      if (failed) return { kind: 'red', file: relative(this.#copy, name), test: failed.fullName }
    }
    return output.code === 0 ? { kind: 'green' } : { kind: 'broken', why: lastLines(output.text) }
  }

  /** Stops what runs, and removes the copy. */
  remove(): void {
    killGroup(this.#running)
    rmSync(this.#copy, { recursive: true, force: true })
  }

  async #vitest(args: string[]): Promise<{ code: number | null; text: string }> {
    const program = join(this.#root, 'node_modules/vitest/vitest.mjs')
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.#copy,
      env: { ...process.env, TEST_DATABASE_URL: this.#databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that the processes that tests start can be ended with it.
      detached: true,
    })
    this.#running = child
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
    }
    const limit = setTimeout(() => {
      text += `\nit took more than ${longestMs / 1000} s`
      killGroup(child)
    }, longestMs)
    const [code] = await once(child, 'close')
    clearTimeout(limit)
    this.#running = undefined
    return { code, text }
  }
}

function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It ended at this moment.
  }
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-15).join('\n')
}
