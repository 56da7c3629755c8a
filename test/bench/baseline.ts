import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { latenciesOf, type Table } from './figures.ts'
import { keep, type Stage, type StageDatabase } from './stage.ts'

/** What a part of the bench works with. */
export type Bench = {
  stage: Stage
  /** So many seconds in milliseconds; a fraction of them in a quick run. */
  ms(seconds: number): number
  quick: boolean
  /** What the plain function reached when the run began, in calls a second: rates of load are shares of it. */
  plainRate: number
  /** How many orders the database of the part `growth` holds, and how many of their events are on rungs of the ladder. */
  growthOrders: number
  growthRungs: number
  /** How many items wait in the backlog, and in which of its scenes. */
  backlogItems: number
  scenes: string[]
  /** How long the part `soak` takes. */
  soakMinutes: number
  /** The folder that the part `compare` compares with, and how often both take turns. */
  checkout: string | undefined
  pairs: number
}

/** The plain function by so many clients: calls a second, and the median time of a call in milliseconds. */
type PlainRate = { clients: number; perSecond: number; p50: number }
export type Baseline = { tool: string; runs: PlainRate[] }

const clients = [1, 8]
const warmUpSeconds = 1
const seconds = 5

/**
 * How fast this PostgreSQL takes orders by the plainest function, called by pgbench. All calls
 * charge one account. The database is its own, and goes away again.
 */
export async function measureBaseline(bench: Omit<Bench, 'plainRate'>): Promise<Baseline> {
  const database = await bench.stage.database()
  await database.sql.unsafe(readFileSync(join(import.meta.dirname, 'plain.sql'), 'utf8'))
  await database.sql`vacuum analyze`
  const version = pgbenchVersion()
  const runs: PlainRate[] = []
  let calls = 0
  for (const count of clients) {
    const run = await pgbench(bench, database, count)
    calls += run.total
    runs.push({ clients: count, perSecond: run.perSecond, p50: run.p50 })
  }
  const [row] = await database.sql`
    select (select count(*)::int from plain.orders) as orders, (select count(*)::int from plain.ledger) as entries,
      (select 100000000 - balance from plain.accounts)::int as spent,
      (select count(*)::int from graphile_worker._private_jobs) as jobs`
  for (const [what, count] of Object.entries(row ?? {})) {
    if (count !== calls) throw new Error(`the plain function was called ${calls} times, but ${what} is ${count}`)
  }
  await database.drop()
  return { tool: version, runs }
}

/** The best rate of some baselines. */
export function bestRate(baselines: readonly Baseline[]): number {
  return Math.max(...baselines.flatMap(({ runs }) => runs.map(({ perSecond }) => perSecond)))
}

export function baselineTable(baselines: readonly Baseline[]): Table {
  const moments = ['at the beginning', 'at the end']
  const [first, last] = baselines.map((baseline) => bestRate([baseline]))
  const drift = first && last ? Math.max(first, last) / Math.min(first, last) : 1
  const notes = ['B is the best of these rates.']
  if (drift > 1.2) notes.push('Beginning and end differ: the machine was not quiet, and the figures are worth little.')
  return {
    title: `The plain function, one account, by ${baselines[0]?.tool}`,
    columns: ['', 'clients', 'calls/s', 'p50 ms'],
    rows: baselines.flatMap(({ runs }, index) =>
      runs.map((run) => [moments[index] ?? '', run.clients, run.perSecond, run.p50]),
    ),
    notes,
  }
}

type Run = { total: number; perSecond: number; p50: number }

function pgbenchVersion(): string {
  const { status, stdout } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' })
  if (status !== 0) throw new Error('the bench needs pgbench: install the package postgresql-contrib')
  return stdout.trim()
}

async function pgbench({ ms }: Pick<Bench, 'ms'>, database: StageDatabase, count: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'supply-ordering-pgbench-'))
  try {
    const script = join(folder, 'order.sql')
    writeFileSync(script, `\\set n random(1, 1000000000000000)\nselect plain.place_order(1, cast(:n as text));\n`)
    const warmUp = await runPgbench(folder, database, ['-c', `${count}`, '-T', `${warmUpSeconds}`, '-f', script])
    const time = String(Math.max(1, Math.round(ms(seconds) / 1000)))
    const args = ['-c', `${count}`, '-T', time, '-f', script, '--log', '--log-prefix=calls']
    const output = await runPgbench(folder, database, args)
    const calls = numberIn(output, /transactions actually processed: (\d+)/)
    const perSecond = numberIn(output, /^tps = ([\d.]+)/m)
    const total = calls + numberIn(warmUp, /transactions actually processed: (\d+)/)
    return { total, perSecond, p50: latenciesOf(loggedTimes(folder)).p50 }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function runPgbench(folder: string, { url }: StageDatabase, options: string[]): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const args = ['--no-vacuum', '--protocol=prepared', ...options]
  const env = {
    PATH: process.env.PATH,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: pathname.slice(1),
  }
  const child = keep(spawn('pgbench', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  const closed = once(child, 'close')
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await closed
  if (code !== 0) throw new Error(`pgbench failed: ${complaints.trim()}`)
  return output
}

function numberIn(output: string, pattern: RegExp): number {
  const found = pattern.exec(output)?.[1]
  if (found === undefined) throw new Error(`pgbench says something else: ${output}`)
  return Number(found)
}

/** The times of all calls, in milliseconds: the third column of pgbench's log, there in microseconds. */
function loggedTimes(folder: string): number[] {
  const logs = readdirSync(folder).filter((name) => name.startsWith('calls.'))
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  return lines.map((line) => Number(line.split(' ')[2]) / 1000)
}
