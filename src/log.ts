import { AsyncLocalStorage } from 'node:async_hooks'
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import type { LogLevel } from './config.ts'
import { safeError } from './db.ts'

/**
 * The log of a process: one JSON line a record. Nothing is taken out of records afterwards; they are made of what may
 * stand in a log. Headers, bodies, query strings, keys and secrets never do, and of an error only what `safeError` lets through.
 */
export type Log = Logger

const requests = new AsyncLocalStorage<{ requestId: string }>()

/** Makes the log; it writes to standard output unless it is given another destination. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // A copy: pino writes the fields of the record into what it is given here.
    mixin: () => ({ ...requests.getStore() }),
    serializers: { err: safeError, error: safeIfError },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Runs work whose log records, also those of everything it awaits, carry the id of the request it is done for. */
export function withRequestId<T>(requestId: string, work: () => T): T {
  return requests.run({ requestId }, work)
}

function safeIfError(value: unknown): unknown {
  return value instanceof Error ? safeError(value) : value
}
