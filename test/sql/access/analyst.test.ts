import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/migrate/migrate.ts'
import { finishAttempt, leaseAttempt, unreachable } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, hold } from '../../support/items.ts'
import { products } from '../../support/partner.ts'

const { database, sql, order, eventsOf } = itemTests()

/** The tables behind the schema `bi`, and their columns that analysts do not see. A new column belongs to one or the other. */
const unseen: { [table: string]: string } = {
  accounts: 'low_balance_threshold last_seq list_id list_set_at',
  products: 'game_id delivery_fields amount_value min_margin',
  offers: 'max_cost problem recipient',
  orders: `id idempotency_key external_order_id callback_url request_items payment_code reason updated_at request_id
    request_id_given traceparent client items_fingerprint`,
  order_items: `order_id position part delivery_data error_message buyer_reason sku tried_suppliers supplier_order_id
    next_call checks sent_at next_check_at lease_token lease_expires_at stuck_at held_at held_reason recovered_at
    limited_at limited_rank state offered_cost offered_currency recipient`,
  ledger: 'order_id reference note created_by plain_reference hash',
  events: 'order_id callback_url body simulated next_attempt_at lease_token lease_expires_at leased_by host',
  order_results: 'order_id',
  supplier_attempts: `lease_token error_code reason error raw supplier_order_id codes repeats cause error_kind`,
}

let analyst: postgres.Sql
beforeAll(async () => {
  await migrate({ databaseUrl: database.url })
  const name = `analyst_${process.pid}`
  const [row] = await sql()`select ops.add_operator(${name}, '{analyst}') as password`
  analyst = postgres(database.url, { username: name, password: row?.password, max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await analyst.end({ timeout: 1 })
  await sql().unsafe(`drop role analyst_${process.pid}`)
})

const columnsOfViews = () => sql()<{ view: string; columns: string[] }[]>`
  select c.relname as view, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  where c.relnamespace = 'bi'::regnamespace group by 1 order by 1`

describe('the schema bi', () => {
  test('has the views and columns that docs/operations/export.md lists', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/operations/export.md'), 'utf8')
    const listed = [...page.matchAll(/^\| `bi\.(\w+)` \| (.*) \|$/gm)].map(([, view = '', columns = '']) => ({
      view,
      columns: columns.split(', ').map((column) => column.replaceAll('`', '')),
    }))
    expect(listed.sort((a, b) => (a.view < b.view ? -1 : 1))).toEqual([...(await columnsOfViews())])
  })

  test.each(Object.keys(unseen))('shows each column of %s, or leaves it out by decision', async (table) => {
    const shown = await sql()`
      select distinct u.column_name as name from information_schema.view_column_usage u
      where u.view_schema = 'bi' and u.table_schema = 'supply' and u.table_name = ${table}`
    const all = await sql()`
      select a.attname::text as name from pg_attribute a
      where a.attrelid = ${`supply.${table}`}::regclass and a.attnum > 0 and not a.attisdropped`
    const hidden = (unseen[table] ?? '').split(/\s+/)
    const undecided = all.map(({ name }) => name).filter((name) => !hidden.includes(name))
    const named = new Set(shown.map(({ name }) => name))
    expect(undecided.filter((name) => !named.has(name))).toEqual([])
  })
})

describe('an analyst', () => {
  test('reads no code, secret, delivery data, callback URL or free text of a day', async () => {
    const hook = 'https://hooks.example/SENTINEL-url'
    const keys = [{ productId: products.key, quantity: 2 }]
    const whole = await order({ callbackUrl: hook, externalOrderId: 'SENTINEL-reference', items: keys })
    await answer(sql(), whole.item, completed({ codes: ['SENTINEL-1', 'SENTINEL-2'] }))
    const part = await order({ callbackUrl: hook, items: keys })
    await answer(
      sql(),
      part.item,
      failed({ codes: ['SENTINEL-3'], reason: 'Только SENTINEL-4', errorCode: 'SENTINEL_5' }),
    )
    const topUp = [{ productId: products.topUp, deliveryData: { gameUserId: 'SENTINEL-6' } }]
    const held = await order({ items: topUp })
    await answer(sql(), held.item, hold(['SENTINEL-7']))
    await sql()`select ops.settle_item(${held.item}, 'failed', reason => 'SENTINEL-8')`
    await sql()`select ops.adjust(1, 5, 'SENTINEL-9', 'SENTINEL-10')`
    const [event] = await eventsOf(whole.code)
    await finishAttempt(sql(), await leaseAttempt(sql(), event?.id), unreachable('SENTINEL-11'))

    const seen: string[] = []
    for (const { view } of await columnsOfViews()) {
      const rows = await analyst.unsafe(`select * from bi.${view}`)
      expect(rows.length, view).toBeGreaterThan(0)
      seen.push(JSON.stringify(rows))
    }
    expect(seen.filter((text) => /SENTINEL[-_](?!5)/.test(text))).toEqual([])
  })

  test('reads nothing else and calls nothing', async () => {
    for (const name of ['ops.accounts', 'supply.orders', 'core.jobs'])
      await expect(analyst.unsafe(`select from ${name}`)).rejects.toThrow('permission denied')
    await expect(analyst`select ops.help()`).rejects.toThrow('permission denied')
    await expect(analyst`delete from bi.accounts`).rejects.toThrow('permission denied')
  })
})
