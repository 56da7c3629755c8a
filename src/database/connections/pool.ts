import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { withinTime } from '../deadline.ts'
import { connectionSurvives, DatabaseDeadline, DatabaseEnded, isReadOnly } from '../errors.ts'
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

/** How many connections have a statement or are being made, have none, how many statements wait, and the most connections. */
export type PoolUsage = { inUse: number; idle: number; waiting: number; max: number }

export type Pool = {
  usage(): PoolUsage
  /** Runs a statement on a connection of its own. `deadline` is a time of `Date.now()`. */
  run(strings: TemplateStringsArray, parameters: (string | null)[], deadline: number): Promise<Rows>
  /** Lets running statements end for up to this many seconds, then closes all connections. Never rejects. */
  end(timeoutSeconds: number): Promise<void>
}

type Idle = { connection: postgres.Sql; since: number }
type Waiter = { grant: (connection: postgres.Sql) => void; refuse: (error: Error) => void }

const textOid = 25
/** How long a connection is trusted that nobody has used, and how long it may take to say that it lives. */
const trustMs = 1_000
const signOfLifeMs = 1_000
const reconnectPauseMs = 50
const connectTimeoutMs = 2_000
const closeTimeoutSeconds = 0.5
const closeLimitMs = 1_000
const recheckMs = 1_000

/** When the session of a connection was last seen to be as it should be. */
const sessionChecked = new WeakMap<postgres.Sql, number>()

/**
 * A pool of connections with one statement on each at a time. A connection that misses a deadline or breaks is thrown
 * away: a half-open socket never reports that it is dead, and postgres.js would wait on it without end. One that was idle for
 * a while has to answer before it gets a statement, and where one fell silent, none that was idle meanwhile is kept: what
 * lies between may have forgotten them all. The pool that
 * postgres.js has of its own is not used, because it fails in three ways when the server goes away: a waiting statement
 * cannot be taken back safely, and `cancel` and the look-up of array types reject promises that nobody handles. Nor is its
 * choice among several servers: while all of them are away it never reports an error. When another server has become the
 * right one, connections to the one before are replaced as soon as they are idle.
 */
export function createPool(options: PoolOptions): Pool {
  const hosts = hostsOf(options.url)
  const idle: Idle[] = []
  const all = new Map<postgres.Sql, DatabaseServer>()
  const waiting = new Set<Waiter>()
  const checkSession = createSessionCheck(options)
  let pausing = 0
  let ended = false

  async function acquire(deadline: number): Promise<postgres.Sql> {
    if (!hosts.isKnown) await withinTime(deadline - Date.now(), hosts.find())
    if (ended) throw new DatabaseEnded()
    const free = takeIdle()
    if (free) {
      if (Date.now() - free.since < trustMs || (await answers(free.connection, deadline)))
        return free.connection
      fail(free.connection, new DatabaseDeadline())
      discardIdle(Date.now() - trustMs)
    }
    return all.size + pausing < options.max ? open() : waitAmong(waiting, deadline)
  }

  function takeIdle(): Idle | undefined {
    for (let free = idle.pop(); free !== undefined; free = idle.pop()) {
      if (all.get(free.connection) === hosts.current) return free
      all.delete(free.connection)
      close(free.connection)
    }
    return undefined
  }

  function discardIdle(until: number): void {
    const silent = idle.filter(({ since }) => since <= until)
    idle.splice(0, idle.length, ...idle.filter(({ since }) => since > until))
    for (const { connection } of silent) discard(connection)
  }

  function open(): postgres.Sql {
    const connection = openConnection(options, hosts.current)
    all.set(connection, hosts.current)
    return connection
  }

  function release(connection: postgres.Sql): void {
    if (all.get(connection) !== hosts.current) return void discard(connection)
    hosts.confirm(hosts.current)
    const [next] = waiting
    if (next) next.grant(connection)
    else idle.push({ connection, since: Date.now() })
  }

  // The pause limits how often a server that is down is asked for connections.
  async function discard(connection: postgres.Sql): Promise<void> {
    all.delete(connection)
    close(connection)
    pausing += 1
    await sleep(reconnectPauseMs)
    pausing -= 1
    const [next] = waiting
    if (next && !ended) next.grant(open())
  }

  function fail(connection: postgres.Sql, error: unknown): void {
    const server = all.get(connection)
    discard(connection)
    if (server !== undefined) hosts.suspect(server, isReadOnly(error))
  }

  return {
    usage: () => ({
      inUse: all.size - idle.length,
      idle: idle.length,
      waiting: waiting.size,
      max: options.max,
    }),
    async run(strings, parameters, deadline) {
      const connection = await acquire(deadline)
      const sentAt = Date.now()
      try {
        const work = checkSession(connection).then(() => statement(connection, strings, parameters))
        const rows = await withinTime(deadline - Date.now(), work)
        release(connection)
        return rows
      } catch (error) {
        if (connectionSurvives(error) && !isReadOnly(error)) release(connection)
        else fail(connection, error)
        if (error instanceof DatabaseDeadline) discardIdle(sentAt)
        throw error
      }
    },
    async end(timeoutSeconds) {
      const end = Date.now() + timeoutSeconds * 1000
      while (idle.length < all.size && Date.now() < end) await sleep(10)
      ended = true
      for (const waiter of [...waiting]) waiter.refuse(new DatabaseEnded())
      await withinTime(closeLimitMs, Promise.all([...all.keys()].map(close))).catch(() => {})
    },
  }
}

/** Waits among others for a connection until the deadline. The waiter removes itself when it is settled. */
function waitAmong(waiting: Set<Waiter>, deadline: number): Promise<postgres.Sql> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => waiter.refuse(new DatabaseDeadline()), deadline - Date.now())
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

function openConnection(options: PoolOptions, server: DatabaseServer): postgres.Sql {
  const connection = postgres(server.url, {
    ...addressOf(server),
    max: 1,
    backoff: () => 0,
    connect_timeout: connectTimeoutMs / 1000,
    fetch_types: false,
    prepare: !options.pooled,
    types: postgresJsTypes(),
    onnotice: () => {},
    // postgres.js opens another one at the next statement.
    onclose: () => sessionChecked.delete(connection),
    connection: {
      application_name: options.applicationName,
      ...(options.pooled ? {} : sessionSettings(options)),
    },
  })
  return connection
}

/**
 * Nothing is done in a session without its role and time-outs, for a pooler can leave them out without a word. A direct
 * connection is asked once; behind a pooler its next statement may run in another session, so it is asked once a second.
 */
function createSessionCheck(options: PoolOptions): (connection: postgres.Sql) => Promise<void> {
  const settings = sessionSettings(options)
  return async (connection) => {
    const checked = sessionChecked.get(connection)
    if (checked !== undefined && !(options.pooled && performance.now() - checked > recheckMs)) return
    const wrong = await statement(connection, wrongSettings, [JSON.stringify(settings)])
    if (wrong.length > 0) throw new WrongSession(settings, wrong, options.pooled ?? false)
    sessionChecked.set(connection, performance.now())
  }
}

async function statement(
  connection: postgres.Sql,
  strings: TemplateStringsArray,
  parameters: (string | null)[],
): Promise<Rows> {
  return await connection(strings, ...parameters.map((value) => connection.typed(value, textOid)))
}

async function answers(connection: postgres.Sql, deadline: number): Promise<boolean> {
  try {
    await withinTime(Math.min(signOfLifeMs, deadline - Date.now()), connection`select 1`.execute())
    return true
  } catch {
    return false
  }
}

async function close(connection: postgres.Sql): Promise<void> {
  await connection.end({ timeout: closeTimeoutSeconds }).catch(() => {})
}
