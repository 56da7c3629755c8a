import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import type pg from 'pg'
import { connectionUrl } from '../../../src/embedded_postgres/connection.ts'
import { give, placeFor } from '../../../src/embedded_postgres/place.ts'
import { launch } from '../../../src/embedded_postgres/server.ts'
import { applyMigrations, pendingMigrations } from '../../../src/migrate/apply_migrations.ts'
import { loadCode } from '../../../src/migrate/load_code.ts'
import type { Retry } from '../../../src/migrate/retries.ts'
import { defaultMigrationsDir, readCode, readMigrations } from '../../../src/migrate/sql_files.ts'

/** The folder of the newest PostgreSQL of Debian or Ubuntu that has this extension; undefined if there is none. */
export function debianPostgresWith(extension: string): string | undefined {
  return debianPostgres([`lib/${extension}.so`])
}

/** The folder of the newest PostgreSQL of Debian or Ubuntu that has these files; undefined if there is none. */
export function debianPostgres(files: string[]): string | undefined {
  return globSync('/usr/lib/postgresql/*')
    .filter((dir) => [...files, 'bin/initdb'].every((file) => existsSync(join(dir, file))))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)
}

/** Starts a server of its own from such a folder, with new data, for one test file; `stop` removes the data. */
export async function startDebianPostgres(dir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const place = await placeFor(join(tmpdir(), `supply-ordering-debian-${randomUUID()}`))
  const password = randomBytes(24).toString('hex')
  const passwordFile = join(place.dataDir, 'password')
  const programs = { initdb: join(dir, 'bin/initdb'), postgres: join(dir, 'bin/postgres') }
  mkdirSync(place.cluster, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  for (const path of [place.cluster, passwordFile]) give(path, place)
  const made = spawnSync(
    programs.initdb,
    [
      ...['--pgdata', place.cluster, '--username', 'postgres', '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
    ],
    { ...place.runAs, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const server = await launch(place, programs, { durable: false })
  return {
    url: connectionUrl(password, server.port, 'postgres'),
    stop: async () => {
      await server.stop?.()
      rmSync(place.dataDir, { recursive: true, force: true })
    },
  }
}

/** The migrations as PostgreSQL 15, for which they are not made, takes them: it does not know the privilege SET. */
function migrationsForOldServers(): string {
  const dir = mkdtempSync(join(tmpdir(), 'supply-ordering-migrations-'))
  cpSync(defaultMigrationsDir, dir, { recursive: true })
  const roles = join(dir, '0001_roles.sql')
  writeFileSync(roles, readFileSync(roles, 'utf8').replace(`wanted, 'set')`, `wanted, 'member')`))
  return dir
}

/** PostgreSQL 16 brought it. A function of this name is enough for those that call it. */
export const missingFunction = `
  set allow_system_table_mods = on;
  create function pg_catalog.pg_input_is_valid(text, text) returns boolean language sql immutable as 'select true';
  set allow_system_table_mods = off`

/** Does what `migrate` does, on a server that it refuses as too old. `client` is a superuser's session there. */
export async function migrateOldServer(client: pg.Client, databaseUrl: string): Promise<void> {
  const dir = migrationsForOldServers()
  try {
    await runMigrations({ connectionString: databaseUrl, logger: new Logger(() => () => {}) })
    await client.query(missingFunction)
    const migrations = readMigrations(dir)
    const retry: Retry = (work) => work()
    const pending = await pendingMigrations(client, migrations, retry)
    await applyMigrations(client, pending, { dir, retry, log: () => {} })
    await loadCode(client, readCode())
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
