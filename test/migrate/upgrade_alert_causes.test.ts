import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { defaultMigrationsDir } from '../../src/migrate/sql_files.ts'
import { testDatabase } from '../support/database.ts'
import { answer, completed, processing } from '../support/items.ts'
import { place } from '../support/orders.ts'
import { makeCatalog, makePartner, products } from '../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
const migration = readFileSync(join(defaultMigrationsDir, '0015_words.sql'), 'utf8')
const upgrade = () => sql().begin((transaction) => transaction.unsafe(migration))
const audited = async () => (await sql()`select check_name from ops.audit`).map((row) => row.check_name)
const newItem = async (...order: Parameters<typeof place>) => (await place(...order)).body.items[0]?.id ?? ''
const causes = async () =>
  (await sql()`select cause from supply.alerts order by cause, hour`).map((alert) => alert.cause)
beforeAll(() => makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' }))

test('alerts of stuck and held items take the causes that the audit looks for', async () => {
  const partner = await makePartner(sql(), { balance: 5000 })
  const stuck = await newItem(sql(), partner)
  const held = await newItem(sql(), partner, { items: [{ productId: products.key, quantity: 2 }] })
  await answer(sql(), held, completed({ codes: ['A'] }))
  await answer(sql(), stuck, processing())
  await sql()`update supply.order_items set sent_at = now() - interval '2 days' where id = ${stuck}`
  await answer(sql(), stuck, processing())
  await sql()`insert into supply.alerts (cause, hour, message, sent_at) values ('dead_letter:line_stuck:x', now(), '', now())`
  await sql()`update supply.alerts set sent_at = now(), cause = regexp_replace(cause, '^item_', 'line_')`
  expect(await causes()).toEqual(['dead_letter:line_stuck:x', 'line_held:first', 'line_stuck:first'])
  expect(await audited()).toEqual(Array(2).fill('stuck_or_held_item_was_alerted'))

  await upgrade()
  expect(await causes()).toEqual(['dead_letter:line_stuck:x', 'item_held:first', 'item_stuck:first'])
  expect(await audited()).toEqual([])
})

test('an alert that stands under its new cause in the same hour is left as it is', async () => {
  await sql()`insert into supply.alerts (cause, hour, message, sent_at)
    select replace(cause, 'item_', 'line_'), hour, '', now() from supply.alerts where cause = 'item_held:first'`
  const before = await causes()
  await upgrade()
  expect(await causes()).toEqual(before)
})
