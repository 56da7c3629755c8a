import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makePartner, type Partner } from '../../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
let partner: Partner

beforeAll(async () => {
  partner = await makePartner(sql(), { mode: 'test' })
})

const fill = (count: number, age: string) => sql()`
  insert into supply.simulated_orders (code, account_id, idempotency_key, external_order_id, request_items, total_amount,
    currency, payment_code, parts, created_at)
  select 'sim_' || replace(gen_random_uuid()::text, '-', ''), ${partner.accountId}, gen_random_uuid()::text, 'x', '[]', 1, 'RUB', 'x',
    '{}', now() - ${age}::interval
  from generate_series(1, ${count}::int)`

const removePart = async (isFirst: boolean) =>
  (await sql()`select work.remove_old('simulated orders', '7 days', ${isFirst}) as is_more`)[0]?.is_more

test('simulated orders are forgotten after a week, in parts, and are counted', async () => {
  await fill(1100, '7 days 1 second')
  await fill(1, '6 days')
  expect([await removePart(true), await removePart(false)]).toEqual([true, false])
  const [left] = await sql()`select count(*)::int, min(created_at) as oldest from supply.simulated_orders`
  expect(left?.count).toBe(1)
  const [kept] =
    await sql()`select removed, oldest_kept from ops.housekeeping where what = 'simulated orders'`
  expect(kept).toEqual({ removed: '1100', oldest_kept: left?.oldest })
})

test('the job of one that was forgotten finds nothing to do', async () => {
  await sql()`select work.settle_simulated_order(gen_random_uuid())`
})
