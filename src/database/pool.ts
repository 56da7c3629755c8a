import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { withinTime } from './deadline.ts'
import { connectionSurvives, DatabaseDeadline, DatabaseEnded } from './errors.ts'
import { postgresJsTypes } from './types.ts'

/** Durations in milliseconds; the three timeouts are the server's settings of the same names. */
export type PoolOptions = {
  url: string
  /** The role that the session takes, for example `supply_api`; the login must be a member of it. */
  role: string
  /** The most connections. */
  max: number
  statementTimeoutMs: number
  lockTimeoutMs: number
  idleInTransactionMs: number
  applicationName: string
}

type Rows = readonly Record<string, unknown>[]

export type Pool = {
  /** Runs a statement on a connection of its own. `deadline` is a time of `Date.now()`. */
  run(strings: TemplateStringsArray, parameters: (string | null)[], deadline: number): Promise<Rows>
  /** Lets running statements end for up to this many seconds, then closes all connections. Never rejects. */
  end(timeoutSeconds: number): Promise<void>
}

type Idle = { connection: postgres.Sql; since: number }
type Waiter = { grant: (connection: postgres.Sql) => void; refuse: (error: Error) => void }

/**
 * Settings for connections whose statements all read by key and keep their plans. By default the planner chooses what is
 * best for the few rows of a new table or an empty queue, a sequential scan, and keeps that plan when there are many
 * rows. JIT compilation is off because PostgreSQL 16 and 17 estimate a high cost for a plan that has no alternative.
 */
export const plansByKey = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const

const textOid = 25
/** How long a connection is trusted that nobody has used, and how long it may take to say that it lives. */
const trustMs = 1_000
const signOfLifeMs = 1_000
const reconnectPauseMs = 50
const connectTimeoutMs = 2_000
const closeTimeoutSeconds = 0.5
const closeLimitMs = 1_000

/**
 * A pool of connections with one statement on each at a time. A connection that misses a deadline or breaks is thrown
 * away: a half-open socket never reports that it is dead, and postgres.js would wait on it for ever. One that was idle for
 * a while has to answer before it gets a statement, and where one fell silent, none that was idle meanwhile is kept: what
 * lies between may have forgotten them all. The pool that
 * postgres.js has of its own is not used, because it fails in three ways when the server goes away: a waiting statement
 * cannot be taken back safely, and `cancel` and the look-up of array types reject promises that nobody handles.
 */
export function createPool(options: PoolOptions): Pool {
  const idle: Idle[] = []
  const all = new Set<postgres.Sql>()
  const waiting = new Set<Waiter>()
  let pausing = 0
  let ended = false

  async function acquire(deadline: number): Promise<postgres.Sql> {
    if (ended) throw new DatabaseEnded()
    const free = idle.pop()
    if (free) {
      if (Date.now() - free.since < trustMs || (await answers(free.connection, deadline)))
        return free.connection
      discard(free.connection)
      discardIdle(Date.now() - trustMs)
    }
    return all.size + pausing < options.max ? open() : waitAmong(waiting, deadline)
  }

  function discardIdle(before: number): void {
    const silent = idle.filter(({ since }) => since < before)
    idle.splice(0, idle.length, ...idle.filter(({ since }) => since >= before))
    for (const { connection } of silent) discard(connection)
  }

  function open(): postgres.Sql {
    const connection = openConnection(options)
    all.add(connection)
    return connection
  }

  function release(connection: postgres.Sql): void {
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

  return {
    async run(strings, parameters, deadline) {
      const connection = await acquire(deadline)
      const sentAt = Date.now()
      try {
        const rows = await withinTime(deadline - Date.now(), statement(connection, strings, parameters))
        release(connection)
        return rows
      } catch (error) {
        if (connectionSurvives(error)) release(connection)
        else discard(connection)
        if (error instanceof DatabaseDeadline) discardIdle(sentAt)
        throw error
      }
    },
    async end(timeoutSeconds) {
      const end = Date.now() + timeoutSeconds * 1000
      while (idle.length < all.size && Date.now() < end) await sleep(10)
      ended = true
      for (const waiter of [...waiting]) waiter.refuse(new DatabaseEnded())
      await withinTime(closeLimitMs, Promise.all([...all].map(close))).catch(() => {})
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

function openConnection(options: PoolOptions): postgres.Sql {
  return postgres(options.url, {
    max: 1,
    backoff: () => 0,
    connect_timeout: connectTimeoutMs / 1000,
    fetch_types: false,
    types: postgresJsTypes(),
    onnotice: () => {},
    connection: {
      role: options.role,
      application_name: options.applicationName,
      statement_timeout: options.statementTimeoutMs,
      lock_timeout: options.lockTimeoutMs,
      idle_in_transaction_session_timeout: options.idleInTransactionMs,
      // A statement whose client has gone stops by itself.
      client_connection_check_interval: 1000,
      ...plansByKey,
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      IntervalStyle: 'postgres',
    },
  })
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
