import { type ChildProcess, fork, type StdioOptions, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { startPostgres } from '../../src/embedded_postgres/start.ts'
import { scriptArguments } from '../support/servers/service_process.ts'
import type { Ports } from './listeners.ts'
import type { LoadMessage, LoadRun, OrderResult, OrderRun, ReadResult, ReadRun } from './load.ts'
import { type Costs, costsBetween, type Pids, postmasterOf, takeUsage, type Usage } from './usage.ts'

/** What a benchmark needs: databases of its own, the service's processes, and the process of the load. */
export type Stage = {
  /** A fresh database on a server that keeps every commit, for the service of this checkout or of another folder. */
  database(folder?: string): Promise<StageDatabase>
  /** The API, the worker or both, each a process of its own, on a database. */
  service(database: StageDatabase, parts: readonly Part[]): Promise<Service>
  /** The ports of the supplier and the receivers, which live as long as the stage. */
  ports: Ports
  /** Orders at a service, with what each cost while they were measured. */
  orders(service: Service, run: Omit<OrderRun, 'kind' | 'port'>): Promise<OrderResult & { costs: Costs }>
  reads(service: Service, run: Omit<ReadRun, 'kind' | 'port'>): Promise<ReadResult>
  /** Which PostgreSQL it is. */
  version(): Promise<string>
}

export type StageDatabase = { folder: string; url: string; sql: postgres.Sql; drop(): Promise<void> }
type Part = 'api' | 'worker'
export type Service = { port: number; sql: postgres.Sql; pids: Pids; stop(): Promise<void> }

const checkout = join(import.meta.dirname, '../..')
const children = new Set<ChildProcess>()
let closing = false

/**
 * Sets the stage on the server of `BENCH_DATABASE_URL` (a superuser's), or on an embedded PostgreSQL with durable
 * settings and data that are thrown away. `supplierMs` is how long the supplier takes for an item; `countsStatements`
 * has the embedded server load pg_stat_statements. Returns it with what takes it down, whatever is under way.
 */
export async function setStage(
  supplierMs: number,
  { countsStatements }: { countsStatements: boolean },
): Promise<{ stage: Stage; close(): Promise<void> }> {
  const given = process.env.BENCH_DATABASE_URL
  const server = given ? { url: given, stop: async () => {} } : await embedded(countsStatements)
  const maintenance = postgres(server.url, { max: 1, onnotice: () => {} })
  const databases = new Set<StageDatabase>()
  const close = async () => {
    closing = true
    await Promise.all([...children].map(end))
    for (const database of databases) await database.drop().catch(() => {})
    await maintenance.end({ timeout: 2 })
    await server.stop()
  }
  try {
    const postmaster = await postmasterOf(maintenance)
    const load = await startLoad(supplierMs)
    const stage: Stage = {
      ports: load.ports,
      database: (folder = checkout) => makeDatabase(folder, server.url, maintenance, databases),
      service: (database, parts) => startService(database, parts, { load: load.pid, postgres: postmaster }),
      orders: (service, run) => measured(load, service, { ...run, kind: 'orders', port: service.port }),
      reads: (service, run) => load.run<ReadResult>({ ...run, kind: 'reads', port: service.port }),
      version: async () => {
        const [row] = await maintenance`select current_setting('server_version') as version`
        return `PostgreSQL ${row?.version}`
      },
    }
    return { stage, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function embedded(countsStatements: boolean) {
  const dataDir = join(tmpdir(), `supply-ordering-bench-${randomUUID()}`)
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  const start = async () => {
    const first = await startPostgres({ dataDir, durable: true })
    if (!countsStatements) return first
    const sql = postgres(first.url, { max: 1 })
    await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`
    await sql.end()
    await first.stop()
    return startPostgres({ dataDir, durable: true })
  }
  const server = await start().catch((error: unknown) => {
    // A Ctrl-C ends the making of the data as well.
    remove()
    throw error
  })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      rmSync(server.dataDir, { recursive: true, force: true })
      remove()
    },
  }
}

async function makeDatabase(
  folder: string,
  serverUrl: string,
  maintenance: postgres.Sql,
  databases: Set<StageDatabase>,
): Promise<StageDatabase> {
  const name = `supply_bench_${randomUUID().slice(0, 8)}`
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await maintenance`create database ${maintenance(name)}`
  const sql = postgres(url.href, { max: 2, onnotice: () => {} })
  const database = {
    folder,
    url: url.href,
    sql,
    drop: async () => {
      databases.delete(database)
      await sql.end({ timeout: 2 })
      await maintenance`drop database ${maintenance(name)} with (force)`
    },
  }
  databases.add(database)
  const [code] = await once(start(folder, ['src/main.ts', 'migrate'], { DATABASE_URL: url.href }), 'exit')
  if (code !== 0) throw new Error(`the migration of ${folder} ended with ${code}`)
  return database
}

async function startService({ folder, url, sql }: StageDatabase, parts: readonly Part[], pids: Pids): Promise<Service> {
  const env = { DATABASE_URL: url, CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8' }
  const service: Service = { port: 0, sql, pids: { ...pids }, stop: async () => {} }
  const processes: ChildProcess[] = []
  for (const part of parts) {
    const worker = part === 'worker'
    // The worker says at the level info that it runs; the API writes a line for each request at that level.
    const settings: Record<string, string> = worker
      ? { LOG_LEVEL: 'info' }
      : { LOG_LEVEL: 'warn', PORT: '0', RATE_LIMIT_PER_MINUTE: '2147483647' }
    const child = start(folder, scriptArguments(part, folder), { ...env, ...settings })
    processes.push(child)
    child.once('exit', (code, signal) => {
      if (signal !== 'SIGKILL') console.error(`the ${part} ended by itself, with ${signal ?? code}`)
    })
    const line = await readyLine(child, worker ? 'the worker runs' : 'ready:')
    service.pids[part] = child.pid ?? 0
    if (!worker) service.port = Number(new URL(line.slice(line.indexOf('http'))).port)
  }
  service.stop = async () => void (await Promise.all(processes.map(end)))
  return service
}

function start(folder: string, args: string[], env: Record<string, string>): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit']
  return keep(spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH, ...env }, stdio }))
}

/** Has a process end with the bench; at once, if that is ending already. */
export function keep<C extends ChildProcess>(child: C): C {
  if (closing) child.kill('SIGKILL')
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function readyLine(child: ChildProcess, ready: string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error('the process has no output'))
    child.once('exit', (code) => reject(new Error(`a process ended before it was ready, with ${code}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes(ready)) resolve(line)
      else if (/"level":"(error|fatal)"/.test(line)) console.error(line)
    })
  })
}

/** The process of the load. */
type Load = {
  ports: Ports
  pid: number
  /** Resolves with what the run found out; `onMark` is called when its measured time begins and when it ends. */
  run<R>(run: LoadRun, onMark?: (mark: 'begin' | 'end') => void): Promise<R>
  stop(): Promise<void>
}

/** Starts the load, with a supplier that takes so long for an item. */
async function startLoad(supplierMs: number): Promise<Load> {
  const child = keep(fork(join(import.meta.dirname, 'load.ts'), [String(supplierMs)]))
  const ready: LoadMessage = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the load ended before it was ready, with ${code}`)))
  })
  if (ready.type !== 'ready') throw new Error('the load is not ready')
  const run = <R>(what: LoadRun, onMark?: (mark: 'begin' | 'end') => void): Promise<R> =>
    new Promise((resolve, reject) => {
      const gone = () => settle(() => reject(new Error('the load ended')))
      const hear = (message: LoadMessage) => {
        if (message.type === 'begin' || message.type === 'end') onMark?.(message.type)
        else if (message.type === 'result') settle(() => resolve(message.result as R))
        else if (message.type === 'failed') settle(() => reject(new Error(message.message)))
      }
      const settle = (how: () => void) => {
        child.off('message', hear).off('exit', gone)
        how()
      }
      child.on('message', hear).once('exit', gone)
      child.send(what)
    })
  return { ports: ready.ports, pid: child.pid ?? 0, run, stop: () => end(child) }
}

/** Takes the usage when the measured time begins and when it ends. */
async function measured(load: Load, service: Service, run: OrderRun): Promise<OrderResult & { costs: Costs }> {
  const marks: Promise<Usage>[] = []
  const result = await load.run<OrderResult>(run, () => {
    const usage = takeUsage(service.sql, service.pids)
    usage.catch(() => {})
    marks.push(usage)
  })
  const [before, after] = await Promise.all(marks)
  if (before === undefined || after === undefined) {
    const none = Number.NaN
    const costs = { commits: none, walBytes: none, postgresMs: none, apiMs: none, workerMs: none, loadShare: none }
    return { ...result, costs }
  }
  return { ...result, costs: costsBetween(before, after, result.orders) }
}

/**
 * Throws unless the database has just the orders that were accepted, and the audit finds nothing in it: what was
 * measured has really happened. What is being recorded at this moment is given some time.
 */
export async function assertSound(sql: postgres.Sql, accepted: number): Promise<void> {
  const [row] = await sql`select count(*)::int as orders from ops.orders`
  if (row?.orders !== accepted) throw new Error(`${accepted} orders were accepted, but there are ${row?.orders}`)
  for (let attempt = 1; ; attempt += 1) {
    const breaches = await sql`select check_name, detail from ops.audit_all() limit 5`
    if (breaches.length === 0) return
    if (attempt === 20) throw new Error(`the audit has rows: ${JSON.stringify(breaches)}`)
    await sleep(250)
  }
}

/** Waits until all orders are final, and so all their events exist. */
export async function waitUntilFinal(sql: postgres.Sql): Promise<void> {
  const end = performance.now() + 120_000
  for (;;) {
    const [row] = await sql`select count(*)::int as open from ops.orders where completed_at is null`
    if (row?.open === 0) return
    if (performance.now() > end) throw new Error(`${row?.open} orders did not become final`)
    await sleep(250)
  }
}
