import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
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
  /** Lets running statements end for so many seconds, then closes everything. Never rejects. */
  end(timeoutSeconds: number): Promise<void>
}

type Waiter = { grant: (lane: postgres.Sql) => void; refuse: (error: Error) => void }

/**
 * Settings for connections whose statements all read by key and keep their plans. Left to itself the planner takes what
 * is best for the few rows of a young table or an empty queue, reading it whole, and holds on to that when there are
 * many. Compiling is off because PostgreSQL 16 and 17 take a plan without an alternative for a dear one.
 */
export const plansByKey = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const

const textOid = 25
const reconnectPauseMs = 50
const connectTimeoutMs = 2_000
const closeTimeoutSeconds = 0.5
const closeLimitMs = 1_000

/**
 * A pool of connections with one statement on each at a time. A connection that misses a deadline or breaks is thrown
 * away, for a half-open socket never tells and postgres.js would wait on it for ever. Its own pool has three more ways
 * to come to harm when the server goes away, and none of them is used: waiting statements cannot be taken back safely,
 * `cancel` rejects a promise nobody holds, and so does the query that looks up array types.
 */
export function createPool(options: PoolOptions): Pool {
  const idle: postgres.Sql[] = []
  const all = new Set<postgres.Sql>()
  const waiting = new Set<Waiter>()
  let pausing = 0
  let ended = false

  function acquire(deadline: number): Promise<postgres.Sql> {
    if (ended) return Promise.reject(new DatabaseEnded())
    const free = idle.pop() ?? (all.size + pausing < options.max ? open() : undefined)
    if (free) return Promise.resolve(free)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.refuse(new DatabaseDeadline()), deadline - Date.now())
      const settle = () => {
        clearTimeout(timer)
        waiting.delete(waiter)
      }
      const waiter: Waiter = {
        grant: (lane) => {
          settle()
          resolve(lane)
        },
        refuse: (error) => {
          settle()
          reject(error)
        },
      }
      waiting.add(waiter)
    })
  }

  function open(): postgres.Sql {
    const lane = openConnection(options)
    all.add(lane)
    return lane
  }

  function release(lane: postgres.Sql): void {
    const [next] = waiting
    if (next) next.grant(lane)
    else idle.push(lane)
  }

  // The pause keeps a server that is down from being asked for connections without end.
  async function discard(lane: postgres.Sql): Promise<void> {
    all.delete(lane)
    close(lane)
    pausing += 1
    await sleep(reconnectPauseMs)
    pausing -= 1
    const [next] = waiting
    if (next && !ended) next.grant(open())
  }

  return {
    async run(strings, parameters, deadline) {
      const lane = await acquire(deadline)
      try {
        const rows = await beforeDeadline(statement(lane, strings, parameters), deadline)
        release(lane)
        return rows
      } catch (error) {
        if (connectionSurvives(error)) release(lane)
        else discard(lane)
        throw error
      }
    },
    async end(timeoutSeconds) {
      const end = Date.now() + timeoutSeconds * 1000
      while (idle.length < all.size && Date.now() < end) await sleep(10)
      ended = true
      for (const waiter of [...waiting]) waiter.refuse(new DatabaseEnded())
      await beforeDeadline(Promise.all([...all].map(close)), Date.now() + closeLimitMs).catch(() => {})
    },
  }
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
  lane: postgres.Sql,
  strings: TemplateStringsArray,
  parameters: (string | null)[],
): Promise<Rows> {
  return await lane(strings, ...parameters.map((value) => lane.typed(value, textOid)))
}

async function beforeDeadline<T>(work: Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseDeadline()), Math.max(0, deadline - Date.now()))
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

async function close(lane: postgres.Sql): Promise<void> {
  await lane.end({ timeout: closeTimeoutSeconds }).catch(() => {})
}
