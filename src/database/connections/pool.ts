import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { errorCode } from '../../network/error_code.ts'
import { withinTime } from '../deadline.ts'
import {
  connectionSurvives,
  DatabaseDeadline,
  DatabaseEnded,
  DatabaseUnreachable,
  isReadOnly,
  isStalePlan,
} from '../errors.ts'
import { resultTypes } from '../types.ts'
import { hostsOf } from './hosts.ts'
import { clientsOf } from './node_postgres.ts'
import { type SessionOptions, sessionSettings, startOptions, WrongSession, wrongSettings } from './session.ts'

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
  /**
   * Runs a statement on a connection of its own, which keeps it prepared under its name. `deadline` is a time of
   * `Date.now()`.
   */
  run(statement: { name: string; text: string }, parameters: (string | null)[], deadline: number): Promise<Rows>
  /** Lets running statements end for up to this many seconds, then closes all connections. Never rejects. */
  end(timeoutSeconds: number): Promise<void>
}

type Session = {
  /** Whether no statement has the connection. */
  isIdle: boolean
  /** When it was made, or became idle, as a time of `Date.now()`. */
  usedAt: number
  /** When its settings last passed the check. */
  checkedAt: number | undefined
}

/** How long an idle connection is trusted, and how long it may take to answer after that. */
const trustMs = 1_000
const signOfLifeMs = 1_000
const closeLimitMs = 1_000
const recheckMs = 1_000

/**
 * A pool of connections with one statement on each at a time. It throws a connection away that misses a deadline or
 * breaks: a half-open socket never reports that it is dead. A connection that was idle for a while has to answer before
 * it gets a statement. If one is silent, the pool keeps none that was idle at the same time: a middlebox may have
 * dropped them all.
 */
export function createPool(options: PoolOptions): Pool {
  const { max, pooled = false } = options
  const hosts = hostsOf(options.url)
  const settings = sessionSettings(options)
  const sessions = new Map<pg.PoolClient, Session>()
  // After the code was reloaded, a plan can be stale in every session: new names have all statements prepared again.
  let generation = 1
  let ended = false
  const pool = new pg.Pool({
    Client: clientsOf(options.url),
    max,
    idleTimeoutMillis: 0,
    keepAlive: true,
    application_name: options.applicationName,
    types: resultTypes,
    ...(pooled ? {} : { options: startOptions(settings) }),
  })
  // An idle connection that ends leaves the pool by itself. Of another one, its statement reports the end.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    sessions.set(client, { isIdle: false, usedAt: Date.now(), checkedAt: undefined })
  })
  pool.on('remove', (client) => sessions.delete(client))

  async function acquire(deadline: number): Promise<pg.PoolClient> {
    for (;;) {
      const client = await take(deadline)
      const session = sessions.get(client)
      if (session !== undefined && !client.connection.stream.destroyed) {
        session.isIdle = false
        if (Date.now() - session.usedAt < trustMs || (await answers(client, deadline))) return client
        hosts.suspect(hosts.current)
        discardIdle(Date.now() - trustMs)
      }
      discard(client)
    }
  }

  async function take(deadline: number): Promise<pg.PoolClient> {
    const server = hosts.current
    const taking = pool.connect()
    try {
      return await withinTime(deadline - Date.now(), taking)
    } catch (error) {
      taking.then(release, () => {})
      // While all connections are in use, a deadline says nothing about the server.
      if (!(error instanceof DatabaseDeadline)) hosts.suspect(server)
      throw known(error)
    }
  }

  function release(client: pg.PoolClient): void {
    Object.assign(sessions.get(client) ?? {}, { isIdle: true, usedAt: Date.now() })
    client.release()
  }

  function discard(client: pg.PoolClient): void {
    client.connection.stream.destroy()
    client.release(true)
  }

  function discardIdle(until: number): void {
    for (const [client, { isIdle, usedAt }] of sessions)
      if (isIdle && usedAt <= until) client.connection.stream.destroy()
  }

  /**
   * No statement runs in a session without its role and time-outs, which a pooler can leave out silently. A direct
   * connection is checked once; behind a pooler the next statement may run in another session, so the check is repeated
   * every second.
   */
  async function checkSession(client: pg.PoolClient): Promise<void> {
    const checkedAt = sessions.get(client)?.checkedAt
    if (checkedAt !== undefined && !(pooled && performance.now() - checkedAt > recheckMs)) return
    const { rows: wrong } = await client.query(wrongSettings, [JSON.stringify(settings)])
    if (wrong.length > 0) throw new WrongSession(settings, wrong, pooled)
    Object.assign(sessions.get(client) ?? {}, { checkedAt: performance.now() })
  }

  return {
    usage: () => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = pool
      return { inUse: totalCount - idle, idle, waiting, max }
    },
    async run({ name, text }, values, deadline) {
      if (!hosts.isKnown) await withinTime(deadline - Date.now(), hosts.find())
      if (ended) throw new DatabaseEnded()
      const server = hosts.current
      const client = await acquire(deadline)
      const sentAt = Date.now()
      try {
        const query = { text, values, ...(pooled ? {} : { name: `${name} ${generation}` }) }
        const work = checkSession(client).then(() => client.query(query))
        const { rows } = await withinTime(deadline - Date.now(), work)
        release(client)
        return rows
      } catch (error) {
        if (isStalePlan(error)) generation += 1
        if (connectionSurvives(error) && !isReadOnly(error)) {
          release(client)
        } else {
          discard(client)
          hosts.suspect(server)
        }
        if (error instanceof DatabaseDeadline) discardIdle(sentAt)
        throw known(error)
      }
    },
    async end(timeoutSeconds) {
      await until(() => pool.idleCount === pool.totalCount, timeoutSeconds * 1_000)
      ended = true
      pool.end().catch(() => {})
      for (const [client, { isIdle }] of sessions) if (!isIdle) client.connection.stream.destroy()
      await until(() => sessions.size === 0, closeLimitMs)
      for (const client of sessions.keys()) client.connection.stream.destroy()
    },
  }
}

async function answers(client: pg.PoolClient, deadline: number): Promise<boolean> {
  try {
    await withinTime(Math.min(signOfLifeMs, deadline - Date.now()), client.query('select 1'))
    return true
  } catch {
    return false
  }
}

async function until(isDone: () => boolean, ms: number): Promise<void> {
  const end = Date.now() + ms
  while (!isDone() && Date.now() < end) await sleep(10)
}

/** node-postgres reports a connection that ended, or could not be made in time, by errors without a code. */
function known(error: unknown): unknown {
  if (!(error instanceof Error) || errorCode(error) !== undefined) return error
  return new DatabaseUnreachable(`no connection to the database: ${error.message}`, { cause: error })
}
