import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, ConfigError } from '../config.ts'
import { connect, type Database, type DatabaseOptions, WrongSession } from '../database/client.ts'
import { sessionSettings } from '../database/connections/session.ts'
import { isNotMigrated, isSessionRefused, isUnavailable } from '../database/errors.ts'
import { createReads, type Reads, readsFrom } from '../database/reads.ts'
import { serves, type Version } from '../database/version.ts'
import { databaseTimeMs } from '../http/database_time.ts'
import type { Log } from '../log.ts'
import { expectedVersion } from '../migrate/sql_files.ts'
import { describeFailure } from './failure.ts'

type Times = Pick<DatabaseOptions, 'lockTimeoutMs' | 'statementTimeoutMs' | 'deadlineMs' | 'idleInTransactionMs'>

/**
 * The times of a connection as given, in milliseconds. Throws unless the wait for a lock ends before the statement,
 * the statement before the call, and the call before `limitMs`: each has to report that it took too long.
 */
export function inOrder(times: Times, limitMs = Number.POSITIVE_INFINITY): Times {
  const { lockTimeoutMs, statementTimeoutMs, deadlineMs } = times
  if (lockTimeoutMs < statementTimeoutMs && statementTimeoutMs < deadlineMs && deadlineMs < limitMs) return times
  throw new Error(`times out of order: ${lockTimeoutMs} < ${statementTimeoutMs} < ${deadlineMs} < ${limitMs} must hold`)
}

const apiTimes = inOrder(
  { lockTimeoutMs: 1_000, statementTimeoutMs: 2_500, deadlineMs: 2_800, idleInTransactionMs: 5_000 },
  databaseTimeMs,
)

/** The times of connections that no request waits for. */
export const workerTimes = inOrder({
  lockTimeoutMs: 2_000,
  statementTimeoutMs: 10_000,
  deadlineMs: 12_000,
  idleInTransactionMs: 10_000,
})

const apiSession = { role: 'supply_api', ...apiTimes }
const workerSession = { role: 'supply_worker', ...workerTimes }

/** The settings that a login needs, so that its sessions through a pooler equal direct ones. */
export const loginSettings = { api: sessionSettings(apiSession), worker: sessionSettings(workerSession) }

/** The API's connections: may execute schema `api`. `pooled`: the URL leads through a pooler. */
export function connectApi(url: string, { pooled = false } = {}): Database {
  return connect({ url, pooled, max: 10, ...apiSession, applicationName: 'supply-ordering api' })
}

// Before the server would give up: what fails on a standby still needs the time that the primary takes.
const readDeadlineMs = 1_000
const recheckMs = 500

/**
 * Reads from the standby of DATABASE_READ_URL, if there is one, else from `primary`. `end` closes what was opened here.
 */
export function connectReads(
  config: Pick<Config, 'databaseReadUrl' | 'databaseReadStalenessSeconds' | 'databasePooled'>,
  primary: Database,
  log: Log,
): Reads & { end(): Promise<void> } {
  const { databaseReadUrl: url, databaseReadStalenessSeconds: seconds, databasePooled: pooled } = config
  if (url === undefined) return { ...readsFrom(primary), end: async () => {} }
  const session = { ...apiSession, deadlineMs: readDeadlineMs }
  const standby = connect({ url, pooled, max: 10, ...session, applicationName: 'supply-ordering reads' })
  const reads = createReads({
    primary,
    standby,
    expected: expectedVersion(),
    maxStalenessMs: seconds * 1_000,
    onChange: (isUsed, error) => {
      if (isUsed) log.info('the standby is used for reads')
      else log.warn({ error }, 'the standby is not used for reads: it does not answer, lags or lacks migrations')
    },
  })
  return {
    ...reads,
    end: async () => {
      reads.stop()
      await standby.end()
    },
  }
}

/** The worker's connections: may execute schema `work`. `pooled`: the URL leads through a pooler. */
export function connectWorker(url: string, { pooled = false } = {}): Database {
  return connect({ url, pooled, max: 10, ...workerSession, applicationName: 'supply-ordering worker' })
}

/** The database lacks what this program needs of it. */
export class OldDatabase extends ConfigError {
  constructor() {
    super('the database lacks the migrations of this release: run npm run migrate, then start this again')
  }
}

/**
 * Rejects with one line where the session lacks its role and time-outs, or the database lacks a migration or the
 * functions of this program: the first order would fail. `read` asks for its state.
 */
export async function refuseOldDatabase(read: () => Promise<Version[]>): Promise<void> {
  const expected = expectedVersion()
  try {
    const [state] = await read()
    if (state && serves(state, expected)) return
  } catch (error) {
    if (!isNotMigrated(error)) throw error
  }
  throw new OldDatabase()
}

/**
 * Makes the checks of a start. If the database does not answer, that is no reason not to start: they are repeated until
 * it answers. `failed` then settles with one line if they reject.
 */
export async function checkOnceAnswered(
  check: () => Promise<void>,
  command: string,
  log: Log,
): Promise<{ failed: Promise<string> }> {
  const { promise: failed, resolve } = Promise.withResolvers<string>()
  const isAnswered = async () => {
    try {
      await check()
      return true
    } catch (error) {
      if (error instanceof WrongSession || isSessionRefused(error) || !isUnavailable(error)) throw error
      return false
    }
  }
  if (await isAnswered()) return { failed }
  log.warn('the database does not answer: its migrations are compared as soon as it does')
  const repeated = async () => {
    do await sleep(recheckMs, undefined, { ref: false })
    while (!(await isAnswered()))
  }
  repeated().catch((error) => resolve(describeFailure(error, command)))
  return { failed }
}

/** A connection for a few calls in the name of the operators, closed afterwards. */
export async function asOperator<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = connectOperator(url)
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

/** One connection with the rights of its login, which may have a part of the schema `ops` alone. */
export function connectOperator(url: string): Database {
  return connect({ url, role: 'none', max: 1, ...workerTimes, applicationName: 'supply-ordering operator' })
}
