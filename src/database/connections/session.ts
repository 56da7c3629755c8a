/** The role and the time-outs of a session; durations in milliseconds, of the server's settings of the same names. */
export type SessionOptions = {
  /** The role that the session takes, for example `supply_api`; the login must be a member of it. */
  role: string
  statementTimeoutMs: number
  lockTimeoutMs: number
  idleInTransactionMs: number
}

/** Values of PostgreSQL's settings by name; numbers are milliseconds. */
export type SessionSettings = { readonly [name: string]: string | number }

/**
 * Settings for connections whose statements all read by key and keep their plans. By default the planner chooses what
 * is best for the few rows of a new table or an empty queue, a sequential scan, and keeps that plan when there are many
 * rows. Plans are generic: a plan for given values costs more to make than it saves. JIT compilation is off because
 * PostgreSQL 16 and 17 estimate a high cost for a plan that has no alternative.
 */
export const plansByKey = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
} as const

/** The settings of every session of the service: set at the start of a direct connection, or by the login. */
export function sessionSettings(options: SessionOptions): SessionSettings {
  return {
    role: options.role,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionMs,
    // PostgreSQL stops a statement whose client has disconnected.
    client_connection_check_interval: 1000,
    ...plansByKey,
    TimeZone: 'UTC',
    DateStyle: 'ISO, MDY',
    IntervalStyle: 'postgres',
  }
}

/** One row for each setting that differs from the list, a JSON text: its name and its actual value. */
export const wrongSettings = statementText(
  `
  select s.name, current_setting(s.name) as present
  from json_each_text(`,
  `::text::json) s (name, wanted)
  where case
    when s.wanted ~ '^[0-9]+$' then current_setting(s.name)::interval <> (s.wanted || 'ms')::interval
    else current_setting(s.name) <> s.wanted end`,
)

function statementText(...strings: string[]): TemplateStringsArray {
  return Object.assign(strings, { raw: strings })
}

/** The session does not have the required role and time-outs: no statement may run in it. */
export class WrongSession extends Error {
  override name = 'WrongSession'
  code = 'WRONG_SESSION'

  constructor(settings: SessionSettings, wrong: readonly Record<string, unknown>[], pooled: boolean) {
    const list = wrong.map(({ name, present }) => `${name} is ${present}, not ${settings[String(name)]}`)
    super(`the database session is not as it should be: ${list.join('; ')}. ${pooled ? fromLogin : fromStart}`)
  }
}

const fromLogin =
  'Behind a pooler these settings are the login\'s own: "npm run migrate" writes them with its password, and the ' +
  "pooler's older connections keep the old ones until it reconnects"
const fromStart = 'A pooler seems to leave out start-up parameters: set DATABASE_DIRECT_URL'
