import { beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, leaseCalls, notPlaced, processing, record } from '../../support/items.ts'
import { refusals } from '../../support/operator.ts'
import { products } from '../../support/partner.ts'

const { sql, partner, order, itemOf } = itemTests()

beforeEach(async () => {
  await sql()`select ops.upsert_supplier('other', 'http://127.0.0.1:9', 'token')`
  await sql()`select ops.upsert_offer(${products.topUp}, 'other', 'other-sku', 3, 200)`
  await sql()`update supply.suppliers set paused_at = null, paused_reason = null, failures = 0, open_since = null`
})

const reroute = (item: string, supplier = 'other') => sql()`select ops.reroute_item(${item}, ${supplier})`

describe('ops.reroute_item moves an item', () => {
  test('when no call has sent it, or every call certainly placed no order', async () => {
    const { item, code } = await order()
    await answer(sql(), item, notPlaced())
    await sql()`select ops.reroute_item(${code}, 'other')`
    expect(await itemOf(item)).toMatchObject({ supplier: 'other', sku: 'other-sku', next_call: 'put', checks: 0 })
    const [call] = await leaseCalls(sql(), [item])
    expect(call).toMatchObject({ supplier: 'other', method: 'put' })
    if (call) expect(await record(sql(), call, completed())).toBe('settled')
  })

  test('not during a call, nor after it was sent: it could be bought twice', async () => {
    const { item } = await order()
    const [call] = await leaseCalls(sql(), [item])
    await expect(reroute(item)).rejects.toMatchObject(refusals.wrongState)
    if (call) await record(sql(), call, processing())
    await expect(reroute(item)).rejects.toMatchObject({
      ...refusals.wrongState,
      hint: expect.stringContaining('bought twice'),
    })
    expect(await itemOf(item)).toMatchObject({ supplier: 'first' })
  })

  test('not when it is final, and not to a supplier that is unknown, is paused or has no usable offer', async () => {
    const ended = await order()
    await answer(sql(), ended.item, failed())
    await expect(reroute(ended.item)).rejects.toMatchObject(refusals.wrongState)
    const { item } = await order()
    await expect(reroute(item, 'nobody')).rejects.toMatchObject(refusals.unknown)
    await sql()`select ops.set_supplier_paused('other', 'a test')`
    await expect(reroute(item)).rejects.toMatchObject(refusals.wrongState)
    await sql()`select ops.set_supplier_paused('other', null)`
    await sql()`select ops.remove_offer(${products.topUp}, 'other')`
    await expect(reroute(item)).rejects.toMatchObject(refusals.wrongState)
    expect(await itemOf(item)).toMatchObject({ supplier: 'first' })
  })
})

test('ops.today counts the orders and the money of the day, beside the same hours a week before', async () => {
  await sql()`update supply.orders set created_at = created_at - interval '30 days'`
  const full = await order()
  await answer(sql(), full.item, completed())
  const refused = await order()
  await answer(sql(), refused.item, failed())
  const before = await order()
  await answer(sql(), before.item, completed())
  await sql()`update supply.orders set created_at = now() - interval '7 days' where code = ${before.code}`
  await sql()`set timezone = 'UTC'`
  const rows = await sql()`select what, currency, today::float, week_before::float from ops.today`
  const figure = (what: string, currency: string | null = null) => {
    const row = rows.find((each) => each.what === what && each.currency === currency)
    return [row?.today, row?.week_before]
  }
  expect(figure('orders')).toEqual([2, 1])
  expect(figure('completed')).toEqual([1, 1])
  expect(figure('failed')).toEqual([1, 0])
  expect(figure('sold', 'RUB')).toEqual([21, 10.5])
  expect(figure('refunded', 'RUB')).toEqual([10.5, 0])
  expect(figure('revenue', 'RUB')).toEqual([10.5, 10.5])
  expect(figure('suppliers not well')).toEqual([0, null])
})

test('ops.partner_orders shows the latest orders of a partner, by its number or its name', async () => {
  const first = await order({ callbackUrl: 'https://shop.example/hooks' })
  await answer(sql(), first.item, completed())
  // A sample of an order is no webhook of it.
  await sql()`select api.simulate_webhook(${partner().accountId}, 'https://shop.example/x', 'order.completed', ${first.code})`
  const second = await order()
  const rows = await sql()`select * from ops.partner_orders(account => ${partner().accountId}, "limit" => 2)`
  expect(rows).toMatchObject([
    { order_code: second.code, status: 'processing', took: null, webhook: 'no callback URL' },
    { order_code: first.code, status: 'completed', items: '1 × 100 credits', webhook: 'waiting' },
  ])
  expect(await sql().unsafe(`select * from ops.partner_orders(${partner().accountId})`)).toHaveLength(2)
})
