import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll } from 'vitest'
import type { TestDatabase } from './database.ts'

export type Operator = {
  /** The client, for use inside tests and hooks only. */
  (): postgres.Sql
  /** The name of the login. */
  login: string
  /** Runs statements, and returns what the server said beside its answers: the notices, and `WARNING …`. */
  noticesOf(run: (sql: postgres.Sql) => PromiseLike<unknown>): Promise<string[]>
}

/** For a test file: a login that is a member of `supply_operator` and of nothing else, as an operator has it. */
export function operatorOf(database: TestDatabase): Operator {
  const login = `alice_${process.pid}_${randomBytes(4).toString('hex')}`
  const password = randomBytes(16).toString('hex')
  const said: string[] = []
  let client: postgres.Sql | undefined
  beforeAll(async () => {
    await database.sql.unsafe(`create role ${login} login password '${password}' in role supply_operator`)
    client = postgres(Object.assign(new URL(database.url), { username: login, password }).href, {
      max: 2,
      onnotice: ({ severity, message }) => said.push(severity === 'NOTICE' ? `${message}` : `${severity} ${message}`),
    })
  })
  afterAll(async () => {
    await client?.end({ timeout: 1 })
    await database.sql.unsafe(`drop role if exists ${login}`)
  })
  const sql = () => {
    if (client === undefined) throw new Error('the operator exists only inside tests and hooks')
    return client
  }
  const noticesOf: Operator['noticesOf'] = async (run) => {
    said.length = 0
    await run(sql())
    return said.splice(0)
  }
  return Object.assign(sql, { login, noticesOf })
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
