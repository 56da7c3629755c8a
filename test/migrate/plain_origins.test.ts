import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultMigrationsDir } from '../../src/migrate/sql_files.ts'
import { testDatabase } from '../support/database.ts'
import { makePartner } from '../support/partner.ts'

const database = testDatabase()
const migration = readFileSync(join(defaultMigrationsDir, '0010_plain_origins.sql'), 'utf8')

/** What becomes of a list that was stored before. */
async function migrated(before: string[] | null): Promise<string[] | null> {
  const { sql } = database
  const { keyId } = await makePartner(sql)
  await sql`update supply.api_keys set allowed_origins = ${before} where id = ${keyId}`
  await sql.begin((transaction) => transaction.unsafe(migration))
  const [row] = await sql`select allowed_origins from ops.api_keys where key_id = ${keyId}`
  return row?.allowed_origins
}

test('stored origins take the form in which they are compared, in their order', async () => {
  const before = [
    ...[
      'shop.example',
      '*.shop.example',
      'https://b.example:443',
      'http://b.example:80',
      'http://b.example:443',
    ],
    ...[
      'https://b.example:8443',
      'app://b.example:443',
      '[0:0::1]',
      'https://[2001:db8:0:0::7]:443',
      '[::g]',
    ],
  ]
  const after = await migrated(before)
  expect(after).toEqual([
    ...['shop.example', '*.shop.example', 'https://b.example', 'http://b.example', 'http://b.example:443'],
    ...['https://b.example:8443', 'app://b.example:443', '[::1]', 'https://[2001:db8::7]', '[::g]'],
  ])
  const good = (after ?? []).slice(0, -1)
  const [row] = await database.sql`select core.clean_origins(${good}) as cleaned`
  expect(row?.cleaned).toEqual(good)
  expect(await migrated(after)).toEqual(after)
})

test('a key without a list has none afterwards', async () => {
  expect(await migrated(null)).toBeNull()
})
