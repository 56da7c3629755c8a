import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { errorCode } from '../../network/error_code.ts'
import { DatabaseUnreachable, isNoSuchDatabase, withinTime } from '../errors.ts'
import { type DatabaseServer, parseDatabaseUrl, type TargetSession } from './database_url.ts'

/** The servers of a database URL, and which of them is the right one to connect to. */
export type Hosts = {
  /** The server to connect to: the last one that was found right, or the first of the URL before any search. */
  readonly current: DatabaseServer
  /**
   * Whether `current` is known to be right: there is no other, or a search found it and no connection to it failed
   * since.
   */
  readonly isKnown: boolean
  /**
   * Resolves to the right server: at once while it is known, after a search otherwise, which takes `probeMs` at most.
   * Rejects with DatabaseUnreachable if none is right, for which `isUnavailable` is true.
   */
  find(): Promise<DatabaseServer>
  /** As `find`, but searches again for up to this long. It calls `onWait` once if the first search found none. */
  wait(ms: number, onWait?: (error: DatabaseUnreachable) => void): Promise<DatabaseServer>
  /**
   * Reports that a connection to this server broke, was silent or refused to write, so another server may be the right
   * one. A search begins soon.
   */
  suspect(server: DatabaseServer): void
  /** Calls a function whenever another server has become `current`, until the returned function is called. */
  onMove(listener: () => void): () => void
}

/** How long a server has to answer whether it is the right one, in milliseconds. */
const probeMs = 1_000
// How much longer the current server may take to answer than another that is right.
const preferenceMs = 500
// The result of a search stays valid for this time, so that failing calls do not start a search each.
const searchPauseMs = 250

const tooManyConnections = '53300'

const known = new Map<string, Hosts>()

/** The hosts of a database URL. All users of the same URL in a process share them and the results of searches. */
export function hostsOf(databaseUrl: string): Hosts {
  const hosts = known.get(databaseUrl) ?? createHosts(databaseUrl)
  known.set(databaseUrl, hosts)
  return hosts
}

function createHosts(databaseUrl: string): Hosts {
  const { servers, target } = parseDatabaseUrl(databaseUrl)
  const [first] = servers
  if (first === undefined) throw new TypeError('a database URL names a server')
  const isSingle = servers.length === 1 && target === 'any'
  let current = first
  let isKnown = isSingle
  let search: Promise<DatabaseServer> | undefined
  const listeners = new Set<() => void>()

  async function searchNow(): Promise<DatabaseServer> {
    try {
      const right = await rightOf(servers, target, current)
      isKnown = true
      if (right !== current) {
        current = right
        for (const listener of [...listeners]) listener()
      }
      return right
    } finally {
      setTimeout(() => {
        search = undefined
      }, searchPauseMs).unref()
    }
  }

  async function find(): Promise<DatabaseServer> {
    if (isKnown) return current
    search ??= searchNow()
    return search
  }

  return {
    get current() {
      return current
    },
    get isKnown() {
      return isKnown
    },
    find,
    async wait(ms, onWait = () => {}) {
      const end = performance.now() + ms
      for (let search = 1; ; search += 1) {
        try {
          return await find()
        } catch (error) {
          if (!(error instanceof DatabaseUnreachable) || performance.now() >= end) throw error
          if (search === 1) onWait(error)
          await sleep(searchPauseMs)
        }
      }
    },
    suspect(server) {
      if (isSingle || server !== current) return
      isKnown = false
      setTimeout(() => find().catch(() => {}), searchPauseMs).unref()
    },
    onMove(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/**
 * Asks all servers at once. The current one wins if it is right: the others wait for its answer for a while. It stays
 * current if no other is right and it merely has no connection left for the question.
 */
async function rightOf(
  servers: DatabaseServer[],
  target: TargetSession,
  current: DatabaseServer,
): Promise<DatabaseServer> {
  const probes = servers.map(async (server) => {
    await probe(server, target)
    return server
  })
  const ofCurrent = probes[servers.indexOf(current)]?.catch(() => undefined)
  try {
    const answered = await Promise.any(probes)
    return (await Promise.race([ofCurrent, sleep(preferenceMs)])) ?? answered
  } catch (error) {
    const reasons = error instanceof AggregateError ? error.errors : [error]
    if (errorCode(reasons[servers.indexOf(current)]) === tooManyConnections) return current
    const each = servers.map((server, index) => `${nameOf(server)}: ${reasonOf(reasons[index])}`)
    throw new DatabaseUnreachable(`no server of the database is the right one: ${each.join('; ')}`)
  }
}

/** Resolves if the server answers and is of the kind that the target requires. */
async function probe(server: DatabaseServer, target: TargetSession): Promise<void> {
  const sql = postgres(server.url, {
    ...addressOf(server),
    max: 1,
    backoff: () => 0,
    connect_timeout: probeMs / 1000,
    fetch_types: false,
    prepare: false,
    onnotice: () => {},
    connection: { application_name: 'supply-ordering probe' },
  })
  try {
    const asked = sql<{ standby: boolean; read_only: boolean }[]>`
      select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only`
    const [state] = await withinTime(probeMs, asked)
    if (target !== 'any' && state?.standby !== false) throw new DatabaseUnreachable('is a standby')
    if (target === 'read-write' && state?.read_only !== false) throw new DatabaseUnreachable('is read-only')
  } finally {
    sql.end({ timeout: 0 }).catch(() => {})
  }
}

/**
 * The options by which postgres.js connects to a server. It cannot read an IPv6 address in a URL or a string, but it
 * takes lists, which its types do not mention.
 */
export function addressOf({ host, port }: DatabaseServer): { host?: string; port?: number } {
  return host === undefined ? {} : Object.assign({ host, port }, { host: [host], port: [port] })
}

function nameOf({ host = 'localhost', port }: DatabaseServer): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function reasonOf(error: unknown): string {
  if (error instanceof DatabaseUnreachable || isNoSuchDatabase(error)) return error.message
  return errorCode(error) ?? 'no answer'
}
