import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll } from 'vitest'
import type { TestDatabase } from '../database.ts'

export type OperatorLogin = { name: string; sql: postgres.Sql }

/**
 * For a test file: a session of a login that is a member of `supply_operator` and of nothing else, as an operator has
 * it. Use it inside tests and hooks only, by calling the result.
 */
export function operatorLogin(database: TestDatabase): () => OperatorLogin {
  const name = `alice_${process.pid}_${randomBytes(4).toString('hex')}`
  let session: postgres.Sql | undefined
  beforeAll(async () => {
    await database.sql`create role ${database.sql(name)} login in role supply_operator`
    // One connection, for this belongs to the session. `session_user` is the operator then, as after a log-in.
    session = postgres(database.url, { max: 1, onnotice: () => {}, idle_timeout: 0, max_lifetime: null })
    await session`set session authorization ${session(name)}`
  })
  afterAll(async () => {
    await session?.end({ timeout: 1 })
    await database.sql`drop role if exists ${database.sql(name)}`
  })
  return () => {
    if (session === undefined) throw new Error('the operator exists only inside tests and hooks')
    return { name, sql: session }
  }
}
