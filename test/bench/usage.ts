import { readdirSync, readFileSync } from 'node:fs'
import type postgres from 'postgres'

/** The processes of a measurement; those that do not run are absent. */
export type Pids = { api?: number; worker?: number; load: number; postgres: number | undefined }

/**
 * What was used up to a moment: the transactions of the server that wrote, the bytes of its log, and the CPU in
 * milliseconds, NaN where this machine does not tell.
 */
export type Usage = {
  at: number
  commits: number
  walBytes: number
  cpuMs: { postgres: number; api: number; worker: number; load: number }
}

/** What an order costs, and how much of the CPU that all took was the load generator's, from 0 to 1. */
export type Costs = {
  commits: number
  walBytes: number
  postgresMs: number
  apiMs: number
  workerMs: number
  loadShare: number
}

/** Takes the counters of the server, and the CPU of the processes, at this moment. */
export async function takeUsage(sql: postgres.Sql, pids: Pids): Promise<Usage> {
  // The statistics of a database count what only reads as well, but lag by a second or more.
  const [row] = await sql`
    select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as commits,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`
  return {
    at: performance.now(),
    commits: row?.commits,
    walBytes: row?.wal,
    cpuMs: {
      postgres: cpuOfFamily(pids.postgres),
      api: cpuOf(pids.api),
      worker: cpuOf(pids.worker),
      load: cpuOf(pids.load),
    },
  }
}

/** What each of so many orders cost between two moments. */
export function costsBetween(before: Usage, after: Usage, orders: number): Costs {
  const used = (name: keyof Usage['cpuMs']) => after.cpuMs[name] - before.cpuMs[name]
  const all = used('postgres') + used('api') + used('worker') + used('load')
  return {
    commits: (after.commits - before.commits) / orders,
    walBytes: (after.walBytes - before.walBytes) / orders,
    postgresMs: used('postgres') / orders,
    apiMs: used('api') / orders,
    workerMs: used('worker') / orders,
    loadShare: used('load') / all,
  }
}

/** The most memory that a process ever had (VmHWM), or has now (VmRSS), in MB of 10^6 bytes; NaN if it is gone. */
export function memoryOf(pid: number | undefined, measure: 'VmHWM' | 'VmRSS'): number {
  const status = read(`/proc/${pid}/status`)?.split('\n') ?? []
  const line = status.find((text) => text.startsWith(`${measure}:`))
  return (Number(line?.match(/\d+/)?.[0] ?? Number.NaN) * 1024) / 1e6
}

/** The process of the server; undefined where its data directory cannot be read from here. */
export async function postmasterOf(sql: postgres.Sql): Promise<number | undefined> {
  const [row] = await sql`select current_setting('data_directory') as folder`
  const pid = Number(read(`${row?.folder}/postmaster.pid`)?.split('\n')[0])
  return pid > 0 ? pid : undefined
}

const tickMs = 10

type Stat = { parent: number; own: number; ofChildren: number }

function statOf(pid: number | string): Stat | undefined {
  const text = read(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  // The name before it may hold anything.
  const [, parent, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const tick = (index: number) => Number(fields[index]) * tickMs
  return { parent: Number(parent), own: tick(9) + tick(10), ofChildren: tick(11) + tick(12) }
}

function cpuOf(pid: number | undefined): number {
  return pid === undefined ? 0 : (statOf(pid)?.own ?? Number.NaN)
}

/** Of the postmaster, its living children, and those that have ended. */
function cpuOfFamily(pid: number | undefined): number {
  const root = pid === undefined ? undefined : statOf(pid)
  if (root === undefined) return Number.NaN
  let sum = root.own + root.ofChildren
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = statOf(entry)
    if (stat?.parent === pid) sum += stat?.own ?? 0
  }
  return sum
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
