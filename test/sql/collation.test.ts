import postgres from 'postgres'
import { expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { itemTests } from '../support/item_tests.ts'
import { orderRequest, placeAll } from '../support/orders.ts'

const { database, sql, operator, partner } = itemTests({ balance: 100_000, audited: true })

/** Changes the order of the database's collation, as a newer library of the operating system does. */
async function changeCollation(): Promise<void> {
  const [{ version = 0 } = {}] = await sql()`select current_setting('server_version_num')::int as version`
  const locale = version < 170_000 ? 'daticulocale' : 'datlocale'
  await sql()`
    update pg_database set datlocprovider = 'i', ${sql()(locale)} = 'en-US', datcollversion = '1.0'
    where datname = current_database()`
}

test('migrate and ops.attention report a changed collation until the owner of the database runs the remedy', async () => {
  const migrated = async () => {
    const lines: string[] = []
    await migrate({ databaseUrl: database.url, log: (line) => lines.push(line) })
    return lines.filter((line) => line.startsWith('collation '))
  }
  const attention = () => operator()`
    select subject, detail, remedy from ops.attention where what = 'collation changed' order by subject`
  expect([await migrated(), await attention()]).toEqual([[], []])
  await changeCollation()
  await sql()`create collation public.german (provider = icu, locale = 'de')`
  await sql()`create table public.names (name text collate public.german unique)`
  await sql()`update pg_collation set collversion = '1.0' where collname = 'german'`
  const found = await attention()
  expect(found).toMatchObject([
    {
      subject: 'collation of the database',
      detail: expect.stringMatching(/^it was version 1\.0 .* and is [\d.]+ now/),
    },
    { subject: 'collation public.german', detail: expect.stringMatching(/^it was version 1\.0 .* and is [\d.]+ now/) },
  ])
  expect(await migrated()).toEqual(found.map((row) => `${row.subject}: ${row.detail}`))
  for (const { remedy } of found) {
    expect(await operator().begin('read only', async (tx) => [...(await tx.unsafe(remedy))])).toHaveLength(1)
  }
  for (const { detail } of found) {
    const [, statements = ''] = /the owner of the database runs: (.*)$/.exec(detail) ?? []
    for (const statement of statements.split('; ')) await sql().unsafe(statement)
  }
  expect([await migrated(), await attention()]).toEqual([[], []])
})

test('a repeat is found after the order of the database’s collation changed, and charges nothing', async () => {
  const keys = Array.from({ length: 200 }, (_, n) => `${n % 2 ? 'Shop' : 'shop'}_${n % 3 ? 'B' : 'a'}-${n}`)
  const requests = keys.map((externalOrderId, n) => ({
    ...orderRequest(partner(), { externalOrderId }),
    ordinal: n + 1,
  }))
  const placed = await placeAll(sql(), requests)
  expect(new Set(placed.map(({ result }) => result))).toEqual(new Set(['created']))

  await changeCollation()
  const changed = postgres(database.url, { max: 1, onnotice: () => {} })
  try {
    const [{ is_changed = false } = {}] = await changed`select 'a' < 'B' as is_changed`
    expect(is_changed).toBe(true)
    const repeated = await placeAll(changed, requests)
    expect(repeated.filter(({ result }) => result !== 'replayed')).toEqual([])
    expect(repeated.map(({ body }) => body.code)).toEqual(placed.map(({ body }) => body.code))
  } finally {
    await changed.end()
  }
})
