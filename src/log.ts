import { AsyncLocalStorage } from 'node:async_hooks'
import { type DestinationStream, type LevelWithSilent, type Logger, pino, stdTimeFunctions } from 'pino'
import postgres from 'postgres'
import { type Correlation, traceIdOf } from './messages/correlation.ts'
import { errorCode } from './network/error_code.ts'
import { release } from './release.ts'

/**
 * The log of a process: one line of JSON for each record. Nothing is removed from records afterwards, so callers pass
 * only what may be logged: never headers, bodies, query strings, api keys or secrets, and of an error what `safeError`
 * returns.
 */
export type Log = Logger

const correlations = new AsyncLocalStorage<{ requestId?: string; traceId?: string }>()

/** Makes the log; it writes to standard output unless it is given another destination. */
export function createLog(level: LevelWithSilent, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { pid: process.pid, version: release },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // A copy: pino writes the fields of the record into what it is given here.
    mixin: () => ({ ...correlations.getStore() }),
    serializers: { err: safeError, error: safeIfError },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/**
 * Runs work whose log records, also those of everything it awaits, carry the ids of the request and of the trace it is
 * done for.
 */
export function withCorrelation<T>({ requestId, traceparent }: Correlation, work: () => T): T {
  const fields = {
    ...(requestId === null ? {} : { requestId }),
    ...(traceparent === null ? {} : { traceId: traceIdOf(traceparent) }),
  }
  return correlations.run(fields, work)
}

function safeIfError(value: unknown): unknown {
  return value instanceof Error ? safeError(value) : value
}

/** The fields of an error that may be logged. */
export type SafeError = {
  type: string
  message: string
  code?: string
  severity?: string
  routine?: string
  schema?: string
  table?: string
  column?: string
  constraint?: string
  /** Functions and lines in SQL, innermost first. */
  where?: string[]
  stack?: string
  cause?: SafeError
}

/**
 * An error for the log: only fields known to hold no row data, no parameters and no query text. PostgreSQL's `detail`,
 * `hint` and `query` are left out; where a message quotes the input it refuses, the quotation is cut off.
 */
export function safeError(error: unknown): SafeError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error object' }
  const code = errorCode(error)
  return {
    type: error.name,
    message: safeMessage(error, code),
    ...(code === undefined ? {} : { code }),
    ...(error instanceof postgres.PostgresError ? databaseFields(error) : {}),
    ...(error.stack === undefined ? {} : { stack: framesOf(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: safeError(error.cause) }),
  }
}

function databaseFields(error: postgres.PostgresError): Partial<SafeError> {
  const where = error.where?.match(/^(PL\/pgSQL|SQL) function .*$/gm)
  const fields = {
    severity: error.severity,
    routine: error.routine,
    schema: error.schema_name,
    table: error.table_name,
    column: error.column_name,
    constraint: error.constraint_name,
    where: where ? [...where] : undefined,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

// Class 22, data exceptions: `invalid input syntax for type integer: "…"`.
function safeMessage(error: Error, code: string | undefined): string {
  if (!(error instanceof postgres.PostgresError)) return error.message
  return code?.startsWith('22') ? error.message.replace(/[:"].*$/s, '').trim() : error.message
}

function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}
