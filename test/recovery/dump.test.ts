import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCode } from '../../src/migrate/load_code.ts'
import { readCode } from '../../src/migrate/sql_files.ts'
import { leaseAttempt, makeEvent } from '../support/events.ts'
import { answer, completed, leaseCalls, notReceived, record } from '../support/items.ts'
import { audit, balanceOf, place } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../support/partner.ts'
import {
  debianPostgres,
  migrateOldServer,
  missingFunction,
  startDebianPostgres,
} from '../support/sql/debian_postgres.ts'

// The embedded PostgreSQL has no pg_dump, and Debian's cannot read a newer server: so both servers are Debian's here.
const installation = debianPostgres(['bin/pg_dump', 'bin/pg_restore', 'bin/pg_dumpall', 'bin/psql'])
if (installation === undefined) {
  console.info('no PostgreSQL of Debian on this machine, hence not run: a dump and its restore')
}
const run = (program: string, ...args: string[]) =>
  execFileSync(join(installation ?? '', 'bin', program), args, { stdio: 'pipe' })

const dir = mkdtempSync(join(tmpdir(), 'supply-ordering-dump-'))
const servers: { url: string; stop(): Promise<void> }[] = []
const clients: postgres.Sql[] = []

const databaseOf = (url: string) => {
  const database = new URL(url)
  database.pathname = '/supply'
  return database.href
}

const connect = (url: string) => {
  const sql = postgres(url, { max: 3, onnotice: () => {} })
  clients.push(sql)
  return sql
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

describe.skipIf(installation === undefined)('a dump that is restored in another cluster', () => {
  let partner: Partner
  let unsent = ''
  let event = ''
  let restored: postgres.Sql
  let restoredUrl = ''

  beforeAll(async () => {
    const [from, to] = await Promise.all([1, 2].map(() => startDebianPostgres(installation ?? '')))
    if (from === undefined || to === undefined) throw new Error('no servers')
    servers.push(from, to)
    await withClient(from.url, (client) => client.query('create database supply'))
    const url = databaseOf(from.url)
    await withClient(url, (client) => migrateOldServer(client, url))
    const sql = connect(url)
    await sql`select work.check_origin()`
    await makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'token' })
    partner = await makePartner(sql)
    event = await makeEvent(sql, partner)
    const { body } = await place(sql, partner, { callbackUrl: 'https://hooks.example/x' })
    unsent = body.items[0]?.id ?? ''

    run('pg_dumpall', '--roles-only', '--no-role-passwords', '--dbname', url, '--file', join(dir, 'roles.sql'))
    run('pg_dump', '--format', 'custom', '--file', join(dir, 'supply.dump'), url)
    // What the dump does not know: both are sent.
    await leaseAttempt(sql, event)
    await answer(sql, unsent, completed())

    run('psql', '--file', join(dir, 'roles.sql'), to.url)
    run('pg_restore', '--create', '--exit-on-error', '--dbname', to.url, join(dir, 'supply.dump'))
    restoredUrl = databaseOf(to.url)
    restored = connect(restoredUrl)
    await restored.unsafe(missingFunction)
  })

  afterAll(async () => {
    for (const client of clients) await client.end({ timeout: 1 })
    for (const server of servers) await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  test('a restored dump is whole: money, orders and queue agree, the code is loaded, the rights are given', async () => {
    expect(await audit(restored)).toEqual([])
    expect(await balanceOf(restored, partner)).toBe(1000 - 2 * 10.5)
    expect(await restored`select subject from ops.queue where subject = ${unsent}`).toHaveLength(1)
    expect(await withClient(restoredUrl, (client) => loadCode(client, readCode()))).toBe(false)
    const [rights] = await restored`
      select has_database_privilege('supply_owner', 'supply', 'create') as owner,
        has_function_privilege('supply_api', 'api.place_orders(jsonb)', 'execute') as api,
        has_table_privilege('supply_api', 'supply.accounts', 'select') as tables`
    expect(rights).toEqual({ owner: true, api: true, tables: false })
  })

  test('a service on a restored dump asks before it sends what may have been sent', async () => {
    const [row] = await restored`select work.check_origin() as refusal`
    expect(row?.refusal).toContain('was restored or copied')
    const [counts] = await restored`select * from ops.begin_recovery('the dump')`
    expect(counts).toEqual({ items_to_ask: '1', events_held: '1' })
    const [call] = await leaseCalls(restored, [unsent])
    expect(call).toMatchObject({ method: 'get' })
    expect(await record(restored, call as never, notReceived())).toBe('waiting')
    expect(await answer(restored, unsent, completed())).toBe('settled')

    const [released] = await restored`select ops.release_events(dry_run => false) as events`
    expect(released?.events).toBe('2')
    expect(await leaseAttempt(restored, event)).toMatchObject({ attempt: 1 })
    await restored`select ops.end_recovery()`
    expect(await makeEvent(restored, partner)).not.toBe(event)
    expect(await balanceOf(restored, partner)).toBe(1000 - 3 * 10.5)
    expect(await audit(restored)).toEqual([])
  })
})
