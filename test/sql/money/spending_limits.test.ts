import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, failed } from '../../support/items.ts'
import { type OrderRequest, orderRequest, place, placeAll } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { unchecked } from '../../support/sql/transactions.ts'

const { sql, partner } = itemTests({ balance: 1_000_000 })

// A unit of this product costs 100.00.
const spend = (quantity: number, request: OrderRequest = {}, of = partner()) =>
  place(sql(), of, { ...request, items: [{ productId: products.expensive, quantity }] })
const limit = (amount: number | null, per = 'day', key: number | null = null, of = partner()) =>
  sql()`select ops.set_spending_limit(${of.accountId}, ${amount}, ${per}, ${key})`
const limitsOf = async ({ accountId, keyId } = partner()) =>
  JSON.parse((await sql()`select api.get_me(${accountId}, ${keyId})::text as me`)[0]?.me).limits
const keyNamed = async (key: string, of = partner()): Promise<Partner> => {
  const [row] = await sql()`
    select key_id from ops.api_keys where account_id = ${of.accountId} and last4 = ${key.slice(-4)}`
  return { ...of, key, keyId: Number(row?.key_id) }
}
/** Lets the orders of a partner, and what counts them, be older by an interval. */
const age = (interval: string, { accountId } = partner()) =>
  unchecked(sql(), async (tx) => {
    await tx`update supply.orders set created_at = created_at - ${interval}::interval where account_id = ${accountId}`
    await tx`update supply.spending_limits set window_start = window_start - ${interval}::interval
      where account_id = ${accountId}`
  })
const endOf = async (per: string) =>
  (await sql()`select core.iso(date_trunc(${per}, now(), 'UTC') + ('1 ' || ${per})::interval) as at`)[0]?.at

describe('a spending limit', () => {
  test('refuses the order that exceeds it with its figures, and lets smaller ones pass', async () => {
    await limit(500)
    expect((await spend(3)).result).toBe('created')
    const { result, body } = await spend(3)
    expect({ result, details: body.details }).toEqual({
      result: 'SPENDING_LIMIT',
      details: {
        ...{ limit: 500, spent: 300, required: 300, per: 'day', scope: 'account', currency: 'RUB' },
        resetsAt: await endOf('day'),
      },
    })
    const request = orderRequest(partner(), { items: [{ productId: products.expensive, quantity: 3 }] })
    const asked = sql().json({ ...request, idempotency_key: null } as never)
    expect(await sql()`select result, refusal from api.quote_order(${asked})`).toEqual([{ result, refusal: body }])
    expect((await spend(2)).result).toBe('created')
    expect(await limitsOf()).toEqual([
      { scope: 'account', per: 'day', amount: 500, spent: 500, resetsAt: await endOf('day') },
    ])
  })

  test('of 0 forbids, and one of null is lifted', async () => {
    await limit(0)
    expect((await spend(1)).result).toBe('SPENDING_LIMIT')
    await limit(null)
    expect((await spend(1)).result).toBe('created')
    expect(await limitsOf()).toEqual([])
  })

  test('counts what was spent in its hour or day before it was set, and not what was spent earlier', async () => {
    await spend(4)
    await age('25 hours')
    await spend(2)
    await limit(500)
    await limit(700, 'hour')
    const seen = await sql()`select per, spent::int from ops.spending_limits
      where account_id = ${partner().accountId} order by per`
    expect(seen).toEqual([
      { per: 'day', spent: 200 },
      { per: 'hour', spent: 200 },
    ])
    expect(await limitsOf()).toMatchObject([
      { per: 'hour', spent: 200 },
      { per: 'day', spent: 200 },
    ])
    expect((await spend(4)).body.details).toMatchObject({ per: 'day', spent: 200, required: 400 })
  })

  test('begins again with the next day', async () => {
    await limit(500)
    await spend(5)
    expect((await spend(1)).result).toBe('SPENDING_LIMIT')
    await age('24 hours')
    expect((await spend(5)).result).toBe('created')
    expect(await limitsOf()).toMatchObject([{ spent: 500 }])
  })

  test('is named in the order key by hour, key by day, account by hour, account by day', async () => {
    const limits = [
      { per: 'hour', key: partner().keyId, scope: 'key' },
      { per: 'day', key: partner().keyId, scope: 'key' },
      { per: 'hour', key: null, scope: 'account' },
      { per: 'day', key: null, scope: 'account' },
    ]
    for (const { per, key } of limits) await limit(0, per, key)
    for (const { per, key, scope } of limits) {
      expect((await spend(1)).body.details).toMatchObject({ per, scope })
      await limit(null, per, key)
    }
    expect((await spend(1)).result).toBe('created')
  })

  test('of a key does not count other keys, and goes on with the key that replaces it', async () => {
    const [issued] = await sql()`select ops.issue_key(${partner().accountId}) as key`
    const other = await keyNamed(issued?.key)
    await limit(300, 'day', partner().keyId)
    await spend(9, {}, other)
    await spend(2)
    const [rotated] = await sql()`select ops.rotate_key(${partner().keyId}) as key`
    const next = await keyNamed(rotated?.key)
    expect((await spend(2, {}, next)).body.details).toMatchObject({ scope: 'key', spent: 200, required: 200 })
    const [replaced] = await sql()`select ops.replace_leaked_key(${next.key}) as key`
    const last = await keyNamed(replaced?.key)
    expect((await spend(1, {}, last)).result).toBe('created')
    expect((await spend(1)).result).toBe('SPENDING_LIMIT')
    expect((await spend(1, {}, other)).result).toBe('created')
  })

  test('gives nothing back for a refund, and does not count a replay', async () => {
    await limit(300)
    const { body } = await spend(2, { externalOrderId: 'same' })
    await answer(sql(), body.items[0]?.id ?? '', failed({ errorCode: 'PLAYER_NOT_FOUND' }))
    expect((await spend(2, { externalOrderId: 'same' })).result).toBe('replayed')
    expect((await spend(2)).body.details).toMatchObject({ spent: 200 })
    expect((await spend(1)).result).toBe('created')
  })

  test('is checked after the price and before the balance', async () => {
    const poor = await makePartner(sql(), { balance: 50 })
    await limit(0, 'day', null, poor)
    expect((await spend(1, { maxTotal: 99 }, poor)).result).toBe('PRICE_CHANGED')
    expect((await spend(1, {}, poor)).result).toBe('SPENDING_LIMIT')
    await limit(null, 'day', null, poor)
    expect((await spend(1, {}, poor)).result).toBe('INSUFFICIENT_BALANCE')
  })

  test('holds within a batch and over concurrent batches: exactly the orders that fit are accepted', async () => {
    await limit(10_000)
    await limit(7_000, 'hour', partner().keyId)
    const [issued] = await sql()`select ops.issue_key(${partner().accountId}) as key`
    const other = await keyNamed(issued?.key)
    const requests = Array.from({ length: 400 }, (_, n) => ({
      ...orderRequest(n % 10 === 0 ? other : partner(), {
        externalOrderId: `limited-${n}`,
        items: [{ productId: products.expensive, quantity: 1 + ((n * 7) % 3) }],
      }),
      ordinal: (n % 40) + 1,
    }))
    const batches = Array.from({ length: 10 }, (_, n) => requests.slice(n * 40, n * 40 + 40))
    const placed = (await Promise.all(batches.map((batch) => placeAll(sql(), batch)))).flat()
    expect(new Set(placed.map(({ result }) => result))).toEqual(new Set(['created', 'SPENDING_LIMIT']))
    const [spent] = await sql()`
      select sum(total_amount)::int as of_all, sum(total_amount) filter (where key_id = ${partner().keyId})::int as of_key
      from ops.orders where account_id = ${partner().accountId}`
    expect(spent?.of_key).toBeLessThanOrEqual(7_000)
    expect(spent?.of_all).toBe(10_000)
    expect(await limitsOf()).toMatchObject([
      { scope: 'key', spent: spent?.of_key },
      { scope: 'account', spent: 10_000 },
    ])
  })
})

describe('ops.set_spending_limit', () => {
  test('refuses a wrong period, an amount that is no money, and a key of another account', async () => {
    const other = await makePartner(sql())
    await expect(limit(1, 'week')).rejects.toThrow('per must be hour or day')
    await expect(limit(-1)).rejects.toThrow('amount must be 0 or more')
    await expect(limit(1.005)).rejects.toThrow('amount must be 0 or more')
    await expect(limit(1, 'day', other.keyId)).rejects.toThrow(`has no key ${other.keyId}`)
  })
})

describe('an order', () => {
  test('records its key and the network of its request', async () => {
    const first = await spend(1, { client: '203.0.113.77' })
    const second = await spend(1, { client: '2001:db8:1:2::3' })
    const rows = await sql()`
      select order_code, client, status, total_amount::int as total from ops.key_orders(${partner().keyId})`
    expect(rows).toEqual([
      { order_code: first.body.code, client: '203.0.113.0/24', status: 'processing', total: 100 },
      { order_code: second.body.code, client: '2001:db8:1::/48', status: 'processing', total: 100 },
    ])
    const since = await sql()`select from ops.key_orders(${partner().keyId}, now() + interval '1 minute')`
    expect(since).toHaveLength(0)
  })
})
