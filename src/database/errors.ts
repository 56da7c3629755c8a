import { errorCode } from '../network/error_code.ts'
import { within } from '../within.ts'

/** The call did not end in time. Whether it took effect is unknown. */
export class DatabaseDeadline extends Error {
  override name = 'DatabaseDeadline'
  code = 'DEADLINE'
  constructor() {
    super('the database did not answer in time')
  }
}

/** Waits for work of the database for at most `ms` milliseconds; rejects with DatabaseDeadline after that. */
export function withinTime<T>(ms: number, work: Promise<T>): Promise<T> {
  return within<T>(ms, work, () => {
    throw new DatabaseDeadline()
  })
}

/** No server of the right kind can be reached, for example because the primary is down. */
export class DatabaseUnreachable extends Error {
  override name = 'DatabaseUnreachable'
  code = 'UNREACHABLE'
}

/** Too many calls wait for the database: this one was not begun. */
export class DatabaseOverloaded extends Error {
  override name = 'DatabaseOverloaded'
  code = 'OVERLOADED'
  constructor() {
    super('too much waits for the database')
  }
}

/** The client was closed before the call began. */
export class DatabaseEnded extends Error {
  override name = 'DatabaseEnded'
  code = 'CONNECTION_ENDED'
  constructor() {
    super('the database client is closed')
  }
}

// Our own codes, and those of postgres.js and of Node's sockets and resolver.
const connectionCodes = new Set([
  ...[
    'DEADLINE',
    'UNREACHABLE',
    'OVERLOADED',
    'CONNECTION_ENDED',
    'CONNECTION_CLOSED',
    'CONNECTION_DESTROYED',
    'CONNECT_TIMEOUT',
    'WRONG_SESSION',
  ],
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE'],
])

// Statement and lock timeouts, read-only (a standby), idle in transaction; a conflict that outlasted its repeat.
const unavailableStates = new Set(['57014', '55P03', '25006', '25P03', '40001', '40P01'])

// Connection trouble, resources used up (too many connections among them), limits used up (a full queue of
// notifications), shutdown and start-up.
const unavailableState = /^(08|53|54|57P)...?$/

/** Whether the server sent an error, by postgres.js or by node-postgres: its code is an SQLSTATE. */
function isServerError(error: unknown): error is Error & { code: string; severity: string } {
  return error instanceof Error && 'severity' in error && errorCode(error) !== undefined
}

/**
 * Whether an error says that the database cannot answer now, so that the answer is 503 and not 500: no connection, no
 * answer in time, a server that starts, stops, is full, a standby or refuses the session, a statement or lock timeout.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnavailable)
  const code = errorCode(error)
  if (code === undefined) return false
  if (!isServerError(error)) return connectionCodes.has(code)
  return mayPass(code) || error.severity === 'FATAL'
}

function mayPass(code: string): boolean {
  return unavailableStates.has(code) || unavailableState.test(code)
}

/** Whether the server refuses all sessions of this login, or for this database. */
export function isSessionRefused(error: unknown): boolean {
  return isServerError(error) && error.severity === 'FATAL' && !mayPass(error.code)
}

// `cache lookup failed` and changed result types come while the code is reloaded; a conflict can come at any time.
const repeatableStates = new Set(['XX000', '0A000', '40001', '40P01'])

/** Whether a call that failed with this error had no effect and is worth one immediate repeat. */
export function repeatable(error: unknown): boolean {
  return isServerError(error) && repeatableStates.has(error.code)
}

// A lock time-out, a serialization failure, a deadlock.
const conflictStates = new Set(['55P03', '40001', '40P01'])

/** Whether a call had no effect because another transaction held a lock that it needs, or changed the same rows. */
export function isConflict(error: unknown): boolean {
  return isServerError(error) && conflictStates.has(error.code)
}

/** Whether an error says that the server takes no writes: it is a standby, or is set to read-only. */
export function isReadOnly(error: unknown): boolean {
  return isServerError(error) && error.code === '25006'
}

/** Whether an error says that the server does not have the database. */
export function isNoSuchDatabase(error: unknown): error is Error & { code: string } {
  return errorCode(error) === '3D000'
}

// No such function, schema or table, and no such role for the session.
const notMigratedStates = new Set(['42883', '3F000', '42P01', '42704', '22023'])

/** Whether a call of one of our functions failed because the database does not have it. */
export function isNotMigrated(error: unknown): boolean {
  return isServerError(error) && notMigratedStates.has(error.code)
}

/** Whether the connection that gave this error can serve the next call. */
export function connectionSurvives(error: unknown): boolean {
  return isServerError(error) && error.severity === 'ERROR'
}
