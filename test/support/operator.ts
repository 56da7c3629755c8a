import postgres from 'postgres'
import { afterAll, beforeAll } from 'vitest'
import type { TestDatabase } from './database.ts'

/**
 * For a test file: a client with the rights of an operator and no others, connected before the first test.
 * Use it inside tests and hooks only, by calling the result.
 */
export function operatorOf(database: TestDatabase): () => postgres.Sql {
  let client: postgres.Sql | undefined
  beforeAll(() => {
    client = postgres(database.url, { max: 2, onnotice: () => {}, connection: { role: 'supply_operator' } })
  })
  afterAll(() => client?.end({ timeout: 1 }))
  return () => {
    if (client === undefined) throw new Error('the operator exists only inside tests and hooks')
    return client
  }
}

/** For a test file: runs statements of an operator, and returns the notices that they gave. */
export function noticesFor(database: TestDatabase) {
  return async (run: (sql: postgres.Sql) => Promise<unknown>): Promise<string[]> => {
    const notices: string[] = []
    const sql = postgres(database.url, {
      max: 1,
      onnotice: ({ message }) => notices.push(message ?? ''),
      connection: { role: 'supply_operator' },
    })
    await run(sql).finally(() => sql.end({ timeout: 1 }))
    return notices
  }
}

/** What a refused statement rejects with: for `rejects.toMatchObject`. */
export const refusals = {
  wrongArgument: { code: '22023' },
  unknown: { code: 'P0002' },
  wrongState: { code: '55000' },
  taken: { code: '23505' },
  belowZero: { code: '23514' },
  forbidden: { code: '42501' },
  several: { code: '21000' },
} as const

export type LogEntry = { action: string; subject: string; detail: { [key: string]: unknown } }

/** The newest entry of the operators' log. */
export async function lastLogged(sql: postgres.Sql): Promise<LogEntry | undefined> {
  const [entry] = await sql<LogEntry[]>`
    select action, subject, detail from ops.operator_log order by log_id desc limit 1`
  return entry
}

/** How many entries the operators' log has. */
export async function timesLogged(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`select count(*)::int as entries from ops.operator_log`
  return row?.entries
}
