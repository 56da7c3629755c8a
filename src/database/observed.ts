import type { Arguments, Database, Functions } from './client.ts'

type Observers = {
  [Name in keyof Functions]?: (result: Functions[Name]['result'], ...args: Arguments<Functions[Name]['args']>) => void
}

/** Makes the same database, which hands each call that succeeded to the observer of its function. */
export function observed(db: Database, observers: Observers): Database {
  return {
    ...db,
    call: async (name, ...args) => {
      const result = await db.call(name, ...args)
      observers[name]?.(result, ...args)
      return result
    },
  }
}

/**
 * Reads the code of an order, the first field of its JSON, without parsing the rest. It is a copy, because a part of a
 * string keeps the whole string in memory.
 */
export function codeOf(body: string): string {
  const [, code = ''] = /"code"\s*:\s*"([^"]+)"/.exec(body) ?? []
  return Buffer.from(code).toString()
}
