import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { hostsOf } from '../database/connections/hosts.ts'
import { openClient } from '../database/connections/open_client.ts'
import { applyMigrations, pendingMigrations } from './apply_migrations.ts'
import { refuseCreators } from './creators.ts'
import { loadCode, refuseDependents } from './load_code.ts'
import { ensureLogins, type LoginPasswords, type LoginSettings } from './logins.ts'
import { createRetry, lockTimeout } from './retries.ts'
import { readCode, readMigrations, type SqlFolders } from './sql_files.ts'

export type MigrateOptions = SqlFolders & {
  databaseUrl: string
  /** The logins to make or change after the migrations. */
  logins?: LoginPasswords | undefined
  /** The settings of the sessions of these logins. */
  loginSettings?: LoginSettings | undefined
  /**
   * How long the migration tries to get a lock that another session holds, in milliseconds. The default is a minute.
   */
  lockWaitMs?: number | undefined
  /** Receives a line for each step, and for each wait (isWait). */
  log?: MigrateLog | undefined
}

type MigrateLog = (line: string, isWait?: boolean) => void

export type MigrateResult = { applied: string[]; codeReloaded: boolean }

// Advisory locks are per database; the number only has to be ours.
const migrationLock = '7345102846120931'
const oldestServer = 160_000
const defaultLockWaitMs = 60_000
const hostWaitMs = 30_000

const insufficientPrivilege = '42501'

/**
 * Brings a database up to date: graphile-worker's schema, the migrations, then the functions and views whose files
 * changed. Several callers at once are safe: they wait for one another.
 *
 * `databaseUrl` must be a login that may create roles and schemas. Returns the names of the applied migrations and
 * whether code was loaded. Rejects with one clear line on a server older than PostgreSQL 16, on a migration that was
 * edited, removed or numbered before an applied one, on a view of others that this release cannot keep, on a file that
 * fails, on a login of ours that may create something, and on a lock that other sessions held all the time; then the
 * line names these sessions.
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const log = options.log ?? (() => {})
  const migrations = readMigrations(options.migrationsDir)
  const code = readCode(options.functionsDir)
  const { url } = await hostsOf(options.databaseUrl).wait(hostWaitMs, ({ message }) => log(message, true))
  const connect = () => openClient({ connectionString: url, application_name: 'supply-ordering migrate' })
  const client = await connect()
  const { lockWaitMs = defaultLockWaitMs } = options
  const retry = createRetry({ client, connect, lockWaitMs, log })
  try {
    await refuseOldServer(client)
    await warnOfLocale(client, log)
    await takeLock(client, log)
    await client.query(sessionSettings)
    const pending = await pendingMigrations(client, migrations, retry)
    await migrateQueue(url)
    await refuseDependents(client, code)
    await applyMigrations(client, pending, { dir: options.migrationsDir, retry, log })
    await retry(() => refuseTemporaryObjects(client))
    await retry(() => refuseCreators(client))
    const codeReloaded = await retry(() => loadCode(client, code, { check: pending.length > 0 }))
    if (codeReloaded) log('loaded the functions and views that changed')
    if (options.functionsDir === undefined) await warnOfCollations(client, log)
    const logins = await retry(() => ensureLogins(client, options.logins ?? {}, options.loginSettings))
    for (const login of logins) log(`login ${login} has its password`)
    return { applied: pending.map(({ name }) => name), codeReloaded }
  } finally {
    await client.end()
  }
}

const sessionSettings = `
  set lock_timeout = '${lockTimeout}';
  set timezone = 'UTC';
  set client_min_messages = 'warning'`

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  )
  const server = rows[0]
  if (server === undefined || server.number < oldestServer) {
    throw new Error(`PostgreSQL 16 or newer is needed; this server is ${server?.version}`)
  }
}

// A database keeps its locale, so a database in use is not refused.
async function warnOfLocale(client: pg.Client, log: (line: string) => void): Promise<void> {
  const { rows } = await client.query<{ locale: string }>(
    `select datctype as locale from pg_database where datname = current_database() and lower('Ч') <> 'ч'`,
  )
  for (const { locale } of rows) {
    log(
      `the locale of the database, ${locale}, has no upper case except for ASCII: references of deposits that differ ` +
        'in the case of other letters are two references; make new databases with C.UTF-8',
    )
  }
}

/** A newer library of the operating system may sort texts in another order than the indexes do. */
async function warnOfCollations(client: pg.Client, log: (line: string) => void): Promise<void> {
  const { rows } = await client.query<{ line: string }>(
    `select format('%s: %s', subject, detail) as line from core.attention_to_collations`,
  )
  for (const { line } of rows) log(line)
}

async function takeLock(client: pg.Client, log: MigrateLog): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [migrationLock])
  if (rows[0]?.taken) return
  log('waiting for another migration of this database', true)
  await client.query('select pg_advisory_lock($1)', [migrationLock])
}

// graphile-worker's own pool closes its connections without a listener, and a late error would end the process.
async function migrateQueue(connectionString: string): Promise<void> {
  const pgPool = new pg.Pool({ connectionString, max: 1, connectionTimeoutMillis: 10_000 })
  pgPool.on('error', () => {})
  pgPool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) })
  } finally {
    await pgPool.end()
  }
}

/**
 * Lets only the database's owner make temporary objects, where the session may decide that. It is repeated each time,
 * because a copied or restored database has lost this setting.
 */
async function refuseTemporaryObjects(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ database: string }>(
    `select pg_catalog.quote_ident(d.datname) as database from pg_catalog.pg_database d
     where d.datname = pg_catalog.current_database() and pg_catalog.has_database_privilege('public', d.oid, 'temporary')`,
  )
  for (const { database } of rows) {
    try {
      await client.query(`revoke temporary on database ${database} from public`)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== insufficientPrivilege) throw error
    }
  }
}
