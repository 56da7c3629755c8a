import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { connectApi, connectWorker } from '../../src/commands/connections.ts'
import { openSealing } from '../../src/commands/sealing.ts'
import type { Database } from '../../src/database/client.ts'
import { dataKeysOf, joined } from '../support/data_keys.ts'
import { testDatabase } from '../support/database.ts'

// No process starts without a registered key, so one statement of a stolen login must not register any.
const database = testDatabase()
const keys = dataKeysOf('k1')
const evil = { new_id: 'evil', new_fingerprint_key: 'sealed:evil:AAAA', proof: 'x' }

async function withLogins<T>(work: (api: Database, worker: Database) => Promise<T>): Promise<T> {
  const [api, worker] = [connectApi(database.url), connectWorker(database.url)]
  try {
    return await work(api, worker)
  } finally {
    await Promise.all([api.end(), worker.end()])
  }
}

const registered = async () => (await database.sql`select id from supply.data_keys order by id`).map(({ id }) => id)

test('the login of the API registers no first key: an API waits for a worker', () =>
  withLogins(async (api, worker) => {
    expect(await api.call('api.register_data_key', { ...evil, known_ids: [] })).toEqual([])
    await openSealing(undefined, worker, 'work')
    await expect(openSealing(keys, api, 'api')).rejects.toThrow('waiting for a worker')
    await openSealing(keys, worker, 'work')
    await openSealing(keys, api, 'api')
    expect(await registered()).toEqual(['k1'])
  }))

test('a login that has no key of the database registers none, and the processes go on starting', () =>
  withLogins(async (api, worker) => {
    await openSealing(keys, worker, 'work')
    await api.call('api.register_data_key', { ...evil, known_ids: ['k1'] })
    await worker.call('work.register_data_key', { ...evil, known_ids: ['k1'] })
    await openSealing(keys, api, 'api')
    expect(await registered()).toEqual(['k1'])
  }))

test('an API that has a key of the database registers the next one', () =>
  withLogins(async (api) => {
    await openSealing(joined(dataKeysOf('k2'), keys), api, 'api')
    expect(await registered()).toEqual(['k1', 'k2'])
  }))

test('the login of the API alerts operators only of an item, account or supplier that exists', () =>
  withLogins(async (api) => {
    for (const subject of ['Call +1 234 now', 'account 999999', 'item 1', 'item 0190a0b0-0000-7000-8000-000000000001'])
      await api.call('api.report_unreadable', { subject })
    await database.sql`select ops.upsert_supplier('acme', 'https://acme.example', 'token')`
    await api.call('api.report_unreadable', { subject: 'supplier acme' })
    expect(await database.sql`select cause from ops.alerts`).toEqual([{ cause: 'unreadable:supplier acme' }])
  }))

test('the statements of docs/operations/data-keys.md remove plain texts that were sealed from the files of the tables', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations/data-keys.md'), 'utf8')
  const statements = [...page.matchAll(/^ +```sql\n([^`]+)```/gm)].flatMap(([, sql = '']) => sql.match(/[^;]+;/g) ?? [])
  const details: string[] = []
  const sql = postgres(database.url, { max: 1, onnotice: ({ detail = '' }) => details.push(detail) })
  const files = async () => {
    await sql`checkpoint`
    const rows = await sql`
      select relname from pg_class c where c.relnamespace = 'supply'::regnamespace and c.relkind in ('r', 'i')
        and position('PLAIN-'::bytea in pg_read_binary_file(pg_relation_filepath(c.oid))) > 0 order by relname`
    return rows.map(({ relname }) => relname)
  }
  try {
    await sql`select ops.upsert_supplier('plain', 'https://plain.example', 'PLAIN-TOKEN')`
    await sql`update supply.suppliers set token = 'sealed:k1:AAAA' where code = 'plain'`
    await sql.begin(async (tx) => {
      // Without the items, batches and imports that they refer to.
      await tx`set local session_replication_role = replica`
      await tx`insert into supply.typed_codes (item_id, action, codes, reason)
        values (gen_random_uuid(), 'completed', '{PLAIN-1}', 'x')`
      await tx`insert into supply.replaced_codes (item_id, code, note) values (gen_random_uuid(), 'PLAIN-2', 'x')`
      await tx`insert into supply.stock_codes (id, batch_id, supplier, sku, code, state)
        values (gen_random_uuid(), 1, 'plain', 'x', 'PLAIN-3', 'free')`
      await tx`insert into supply.import_lines (import_id, given) values (1, '{"card": "PLAIN-4"}')`
    })
    await sql`delete from supply.typed_codes`
    await sql`delete from supply.replaced_codes`
    await sql`delete from supply.stock_codes`
    await sql`delete from supply.import_lines`
    expect(await files()).toEqual(
      expect.arrayContaining(['import_lines', 'replaced_codes', 'stock_codes', 'suppliers', 'typed_codes']),
    )
    for (const statement of statements)
      do {
        details.length = 0
        await sql.unsafe(statement)
      } while (/^[1-9]\d* dead row versions cannot be removed yet/m.test(details.join('\n')))
    expect(await files()).toEqual([])
  } finally {
    await sql.end()
  }
})
