import { createPool, type PoolOptions, type PoolUsage } from './connections/pool.ts'
import { DatabaseEnded, repeatable } from './errors.ts'
import { functions } from './functions.ts'
import type { Functions } from './signatures.ts'
import { type FunctionTable, parametersOf, resultOf, statementOf } from './statement.ts'

export { WrongSession } from './connections/session.ts'
export { isUnavailable } from './errors.ts'
export type { Functions, SupplyArgument } from './signatures.ts'

/** Durations in milliseconds. */
export type DatabaseOptions = PoolOptions & {
  /**
   * How long a call may take in all: waiting for a connection, connecting, the statement, a repeat. Longer than
   * `statementTimeoutMs`, so that the server normally gives up first.
   */
  deadlineMs: number
}

/** The shape of `Functions`: by `schema.name`, the named arguments and the result. */
type Signatures = { [name: string]: { args: object; result: unknown } }

/** The arguments of a call. They may be left out if none is required. */
export type Arguments<Args extends object> = Record<string, never> extends Args ? [args?: Args] : [args: Args]

/** Calls the functions of the database by name: the only way from TypeScript to SQL. */
export type Database<Table extends Signatures = Functions> = {
  /**
   * Calls one SQL function, which is one statement and so one transaction. An absent argument takes its SQL default.
   * Rejects after `deadlineMs` at the latest. Errors for which `isUnavailable` is true say that the database could not
   * answer; after such an error the call may or may not have taken effect.
   */
  call<Name extends keyof Table & string>(
    name: Name,
    ...args: Arguments<Table[Name]['args']>
  ): Promise<Table[Name]['result']>
  /** The current usage of the pool of connections. */
  usage(): PoolUsage
  /**
   * Takes no more calls, lets those under way end for up to `timeout` seconds (default 5), then closes all
   * connections. Always resolves, at the latest a second after that.
   */
  end(options?: { timeout?: number }): Promise<void>
}

/**
 * A client for the functions of schemas `api`, `work` and `ops`. It connects at the first call, and reconnects by
 * itself after the server was away.
 */
export function connect(options: DatabaseOptions): Database {
  return connectTo<Functions>(options, functions)
}

/** As `connect`, with another table of functions. */
export function connectTo<Table extends Signatures>(options: DatabaseOptions, table: FunctionTable): Database<Table> {
  const pool = createPool(options)
  let ended = false

  async function attempt(name: string, args: Record<string, unknown>, deadline: number): Promise<unknown> {
    const statement = statementOf(table, name, args)
    const rows = await pool.run(statement.strings, parametersOf(statement, args), deadline)
    return resultOf(statement, rows)
  }

  return {
    async call(name, ...[given]) {
      if (ended) throw new DatabaseEnded()
      const args: Record<string, unknown> = { ...given }
      const deadline = performance.now() + options.deadlineMs
      try {
        return await attempt(name, args, deadline)
      } catch (error) {
        if (!repeatable(error)) throw error
        return await attempt(name, args, deadline)
      }
    },
    usage: pool.usage,
    async end({ timeout = 5 } = {}) {
      ended = true
      await pool.end(timeout)
    },
  }
}
