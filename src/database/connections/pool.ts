import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { connectionSurvives, DatabaseDeadline, DatabaseEnded, isReadOnly, withinTime } from '../errors.ts'
import { postgresJsTypes } from '../types.ts'
import type { DatabaseServer } from './database_url.ts'
import { addressOf, hostsOf } from './hosts.ts'
import { type SessionOptions, sessionSettings, WrongSession, wrongSettings } from './session.ts'

export { plansByKey } from './session.ts'

export type PoolOptions = SessionOptions & {
  /** Of one server or of several; the connections go to the right one (`hostsOf`). */
  url: string
  /**
   * Whether the URL leads through a pooler whose server connections change from statement to statement: a session then
   * has its settings from its login, and statements have no names.
   */
  pooled?: boolean | undefined
  /** The most connections. */
  max: number
  applicationName: string
}

type Rows = readonly Record<string, unknown>[]

/** How many connections have a statement or are being made, how many have none, how many statements wait. */
export type PoolUsage = { inUse: number; idle: number; waiting: number; max: number }

export type Pool = {
  usage(): PoolUsage
  /** Runs a statement on a connection of its own. `deadline` is a time of `performance.now()`. */
  run(strings: TemplateStringsArray, parameters: (string | null)[], deadline: number): Promise<Rows>
  /** Lets running statements end for up to this many seconds, then closes all connections. Never rejects. */
  end(timeoutSeconds: number): Promise<void>
}

type Connection = {
  sql: postgres.Sql
  server: DatabaseServer
  /** When it became idle, as a time of `performance.now()`. */
  idleSince: number
  /** When its session last passed the check of its settings; undefined: not since it connected. */
  checkedAt: number | undefined
}
type Waiter = { grant: (connection: Connection) => void; refuse: (error: Error) => void }

const textOid = 25
/** How long an idle connection is trusted, and how long it may take to answer after that. */
const trustMs = 1_000
const signOfLifeMs = 1_000
const reconnectPauseMs = 50
const connectTimeoutMs = 2_000
const closeTimeoutSeconds = 0.5
const closeLimitMs = 1_000
const recheckMs = 1_000

/**
 * A pool of connections with one statement on each at a time. It throws a connection away that misses a deadline or
 * breaks: a half-open socket never reports that it is dead, and postgres.js would wait on it without end. A connection
 * that was idle for a while has to answer before it gets a statement. If one is silent, the pool keeps none that was
 * idle at the same time: a middlebox may have dropped them all.
 *
 * The pool of postgres.js is not used, because it fails in three ways when the server goes away: a waiting statement
 * cannot be taken back safely, and `cancel` and the look-up of array types reject promises that nobody handles. Nor is
 * its choice among several servers: while all of them are away it never reports an error. When another server has
 * become the right one, connections to the previous one are replaced as soon as they are idle.
 */
export function createPool(options: PoolOptions): Pool {
  const hosts = hostsOf(options.url)
  const idle: Connection[] = []
  const all = new Set<Connection>()
  const waiting = new Set<Waiter>()
  const settings = sessionSettings(options)
  let pausing = 0
  let ended = false

  async function acquire(deadline: number): Promise<Connection> {
    if (!hosts.isKnown) await withinTime(deadline - performance.now(), hosts.find())
    if (ended) throw new DatabaseEnded()
    const free = takeIdle()
    if (free) {
      if (performance.now() - free.idleSince < trustMs || (await answers(free.sql, deadline))) return free
      fail(free)
      discardIdle(performance.now() - trustMs)
    }
    return all.size + pausing < options.max ? open() : waitAmong(waiting, deadline)
  }

  function takeIdle(): Connection | undefined {
    for (let free = idle.pop(); free !== undefined; free = idle.pop()) {
      if (free.server === hosts.current) return free
      all.delete(free)
      close(free)
    }
    return undefined
  }

  function discardIdle(until: number): void {
    const silent = idle.filter(({ idleSince }) => idleSince <= until)
    idle.splice(0, idle.length, ...idle.filter(({ idleSince }) => idleSince > until))
    for (const connection of silent) discard(connection)
  }

  function open(): Connection {
    const connection = openConnection(options, hosts.current)
    all.add(connection)
    return connection
  }

  function release(connection: Connection): void {
    if (connection.server !== hosts.current) return void discard(connection)
    connection.idleSince = performance.now()
    const [next] = waiting
    if (next) next.grant(connection)
    else idle.push(connection)
  }

  // The pause limits how often the pool tries to connect to a server that is down.
  async function discard(connection: Connection): Promise<void> {
    all.delete(connection)
    close(connection)
    pausing += 1
    await sleep(reconnectPauseMs)
    pausing -= 1
    const [next] = waiting
    if (next && !ended) next.grant(open())
  }

  function fail(connection: Connection): void {
    discard(connection)
    hosts.suspect(connection.server)
  }

  /**
   * No statement runs in a session without its role and time-outs, which a pooler can leave out silently. A direct
   * connection is checked once; behind a pooler the next statement may run in another session, so the check is repeated
   * every second.
   */
  async function checkSession(connection: Connection): Promise<void> {
    const { sql, checkedAt } = connection
    if (checkedAt !== undefined && !(options.pooled && performance.now() - checkedAt > recheckMs)) return
    const wrong = await statement(sql, wrongSettings, [JSON.stringify(settings)])
    if (wrong.length > 0) throw new WrongSession(settings, wrong, options.pooled ?? false)
    connection.checkedAt = performance.now()
  }

  return {
    usage: () => ({ inUse: all.size - idle.length, idle: idle.length, waiting: waiting.size, max: options.max }),
    async run(strings, parameters, deadline) {
      const connection = await acquire(deadline)
      const sentAt = performance.now()
      try {
        const work = checkSession(connection).then(() => statement(connection.sql, strings, parameters))
        const rows = await withinTime(deadline - performance.now(), work)
        release(connection)
        return rows
      } catch (error) {
        if (connectionSurvives(error) && !isReadOnly(error)) release(connection)
        else fail(connection)
        if (error instanceof DatabaseDeadline) discardIdle(sentAt)
        throw error
      }
    },
    async end(timeoutSeconds) {
      const end = performance.now() + timeoutSeconds * 1000
      while (idle.length < all.size && performance.now() < end) await sleep(10)
      ended = true
      for (const waiter of [...waiting]) waiter.refuse(new DatabaseEnded())
      await withinTime(closeLimitMs, Promise.all([...all].map(close))).catch(() => {})
    },
  }
}

/** Waits in the queue for a connection until the deadline. The waiter removes itself when it is settled. */
function waitAmong(waiting: Set<Waiter>, deadline: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => waiter.refuse(new DatabaseDeadline()), deadline - performance.now())
    const settle = () => {
      clearTimeout(timer)
      waiting.delete(waiter)
    }
    const waiter: Waiter = {
      grant: (connection) => {
        settle()
        resolve(connection)
      },
      refuse: (error) => {
        settle()
        reject(error)
      },
    }
    waiting.add(waiter)
  })
}

function openConnection(options: PoolOptions, server: DatabaseServer): Connection {
  const sql = postgres(server.url, {
    ...addressOf(server),
    max: 1,
    backoff: () => 0,
    connect_timeout: connectTimeoutMs / 1000,
    fetch_types: false,
    prepare: !options.pooled,
    types: postgresJsTypes(),
    onnotice: () => {},
    onclose: () => {
      // postgres.js opens another one at the next statement.
      connection.checkedAt = undefined
    },
    connection: { application_name: options.applicationName, ...(options.pooled ? {} : sessionSettings(options)) },
  })
  const connection: Connection = { sql, server, idleSince: 0, checkedAt: undefined }
  return connection
}

async function statement(
  sql: postgres.Sql,
  strings: TemplateStringsArray,
  parameters: (string | null)[],
): Promise<Rows> {
  const rows = await sql(strings, ...parameters.map((value) => sql.typed(value, textOid)))
  // After a statement that failed behind its first rows, postgres.js 3.4.9 leaves as many holes in the next result.
  return rows.filter(() => true)
}

async function answers(sql: postgres.Sql, deadline: number): Promise<boolean> {
  try {
    await withinTime(Math.min(signOfLifeMs, deadline - performance.now()), sql`select 1`.execute())
    return true
  } catch {
    return false
  }
}

async function close({ sql }: Connection): Promise<void> {
  await sql.end({ timeout: closeTimeoutSeconds }).catch(() => {})
}
