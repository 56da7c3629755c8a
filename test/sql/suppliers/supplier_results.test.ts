import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, leaseCalls, processing, record, renewCodes, unknown } from '../../support/items.ts'
import { balanceOf } from '../../support/orders.ts'

const { sql, partner, order, keys, read, itemOf, alertsOf, push } = itemTests({ audited: true })

describe('an item that is out of stock at its supplier', () => {
  const productId = 300

  beforeAll(async () => {
    await sql()`select ops.upsert_product(${productId}, 'space-trader', 'Anywhere', 7.00, 'RUB', 'key')`
    await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
    await sql()`select ops.upsert_offer(${productId}, 'first', 'a', priority => 1)`
    await sql()`select ops.upsert_offer(${productId}, 'second', 'b', priority => 2)`
  })

  test('goes to the next supplier, and fails when there is none', async () => {
    const { code, item } = await order({ items: [{ productId }] })
    expect(await answer(sql(), item, failed({ errorCode: 'OUT_OF_STOCK' }))).toBe('next_supplier')
    const [call] = await leaseCalls(sql(), [item])
    expect(call).toMatchObject({ method: 'put', sku: 'b', base_url: 'http://127.0.0.1:10', reference: item })
    if (call) expect(await record(sql(), call, failed({ errorCode: 'OUT_OF_STOCK' }))).toBe('settled')
    expect(await read(code)).toMatchObject({ status: 'failed', outcome: 'none' })
    expect(await balanceOf(sql(), partner())).toBe(1000)
  })

  test('goes to the next supplier, too, when it is no item of keys and codes came, which are ignored', async () => {
    await sql()`select ops.upsert_product(301, 'space-trader', 'Coins', 7.00, 'RUB', 'id_only', '[]')`
    await sql()`select ops.upsert_offer(301, 'first', 'a', priority => 1)`
    await sql()`select ops.upsert_offer(301, 'second', 'b', priority => 2)`
    const { item } = await order({ items: [{ productId: 301 }] })
    const outOfStock = failed({ errorCode: 'OUT_OF_STOCK', codes: ['x'] })
    expect(await answer(sql(), item, outOfStock)).toBe('next_supplier')
  })

  test('goes to no other supplier after another failure, a part or an unknown outcome', async () => {
    const { item } = await order({ items: [{ productId, quantity: 2 }] })
    expect(await answer(sql(), item, unknown())).toBe('waiting')
    expect((await itemOf(item)).supplier).toBe('first')
    expect(await answer(sql(), item, failed({ errorCode: 'OUT_OF_STOCK', codes: ['A'] }))).toBe('settled')
    const other = await order({ items: [{ productId }] })
    expect(await answer(sql(), other.item, failed({ errorCode: 'SUPPLIER_ERROR' }))).toBe('settled')
  })

  test('goes to the next supplier from held, with new delays', async () => {
    const { item } = await order({ items: [{ productId }] })
    expect(await answer(sql(), item, completed())).toBe('held')
    await push('first', item, failed({ errorCode: 'OUT_OF_STOCK' }))
    expect(await answer(sql(), item, unknown())).toBe('waiting')
    expect(Math.ceil((await itemOf(item)).wait)).toBe(1)
  })

  test('is not changed by a late push of its first supplier, which is alerted unless it is a repeat', async () => {
    const { code, item } = await order({ items: [{ productId }] })
    await answer(sql(), item, failed({ errorCode: 'OUT_OF_STOCK' }))
    const before = await alertsOf('contradicting_result:first')
    await push('first', item, failed({ errorCode: 'OUT_OF_STOCK' }))
    expect(await alertsOf('contradicting_result:first')).toBe(before)
    await push('first', item, completed({ codes: ['A'] }))
    expect(await alertsOf('contradicting_result:first')).toBe(before + 1)
    expect(await read(code)).toMatchObject({ status: 'processing' })
  })
})

test('items go to the offer with the smallest priority first, among equals to the cheapest', async () => {
  await sql()`select ops.upsert_product(310, 'space-trader', 'Gems', 7.00, 'RUB', 'id_only', '[]')`
  const offers = [
    ['expensive', 5, 1],
    ['cheap', 4, 1],
    ['late', 1, 2],
    ['unpriced', null, 1],
  ] as const
  for (const [supplier, cost, priority] of offers) {
    await sql()`select ops.upsert_supplier(${supplier}, 'http://127.0.0.1:11', 'token')`
    await sql()`select ops.upsert_offer(310, ${supplier}, ${supplier}, ${cost}, ${priority})`
  }
  const { item } = await order({ items: [{ productId: 310 }] })
  const asked: string[] = []
  for (const _ of offers) {
    asked.push((await itemOf(item)).supplier)
    await answer(sql(), item, failed({ errorCode: 'OUT_OF_STOCK' }))
  }
  expect(asked).toEqual(['cheap', 'expensive', 'unpriced', 'late'])
})

describe('a pushed result', () => {
  test('settles an item that is waiting, or whose call is under way', async () => {
    const waiting = await order()
    await answer(sql(), waiting.item, processing())
    expect(await push('first', waiting.item, completed())).toBe('recorded')
    expect((await read(waiting.code)).status).toBe('completed')

    const calling = await order()
    const [call] = await leaseCalls(sql(), [calling.item])
    expect(await push('first', calling.item, completed())).toBe('recorded')
    if (call) expect(await record(sql(), call, completed())).toBe('repeated')
    expect((await read(calling.code)).status).toBe('completed')
  })

  test('that is not final never delays the planned poll', async () => {
    const { item } = await order()
    await answer(sql(), item, processing())
    await sql()`update supply.order_items set next_check_at = now() + interval '3 s', checks = 8 where id = ${item}`
    await push('first', item, processing())
    expect((await itemOf(item)).wait).toBeLessThanOrEqual(3)
  })

  test('is unknown for an item that the supplier never had', async () => {
    const { item } = await order()
    expect(await push('first', item, completed())).toBe('unknown_reference')
    expect(await push('first', crypto.randomUUID(), completed())).toBe('unknown_reference')
    await leaseCalls(sql(), [item])
    expect(await push('second', item, completed())).toBe('unknown_reference')
  })

  test('that contradicts a final item changes nothing and is alerted; a repeat is only recorded', async () => {
    const { code, item } = await order()
    await answer(sql(), item, failed())
    const before = await alertsOf('contradicting_result:first')
    await push('first', item, failed())
    await push('first', item, processing())
    expect(await alertsOf('contradicting_result:first')).toBe(before)
    await push('first', item, completed())
    expect(await alertsOf('contradicting_result:first')).toBe(before + 1)
    expect(await read(code)).toMatchObject({ status: 'failed', refundedAmount: 10.5 })
    const [row] = await sql()`select count(*)::int as n from supply.supplier_attempts where item_id = ${item}`
    expect(row?.n).toBe(4)
  })
})

describe('a repeated push', () => {
  const attemptsOf = async (item: string) => [
    ...(await sql()`select outcome, verdict, repeats from ops.supplier_attempts
      where item_id = ${item} and method = 'push' order by attempt_id`),
  ]
  const again = async (item: string, result: object, times = 3) => {
    for (let time = 0; time < times; time += 1) await push('first', item, result)
  }

  test('is recorded once, with its count', async () => {
    const { code, item } = await order()
    await leaseCalls(sql(), [item])
    await again(item, processing())
    await again(item, completed())
    expect(await attemptsOf(item)).toEqual([
      { outcome: 'processing', verdict: 'waiting', repeats: 2 },
      { outcome: 'completed', verdict: 'settled', repeats: 2 },
    ])
    expect((await read(code)).status).toBe('completed')
  })

  test('is recorded once when two come at the same moment', async () => {
    const { item } = await order()
    await leaseCalls(sql(), [item])
    await Promise.all([push('first', item, completed()), push('first', item, completed())])
    expect(await attemptsOf(item)).toEqual([{ outcome: 'completed', verdict: 'settled', repeats: 1 }])
  })

  test('is another result when its content or its verdict differs', async () => {
    const { item } = await order()
    await leaseCalls(sql(), [item])
    await again(item, processing(), 2)
    await push('first', item, failed({ errorCode: 'A', reason: 'one' }))
    await push('first', item, failed({ errorCode: 'A', reason: 'two' }))
    await push('first', item, failed({ errorCode: 'B', reason: 'two' }))
    await again(item, processing(), 2)
    expect(await attemptsOf(item)).toEqual([
      { outcome: 'processing', verdict: 'waiting', repeats: 1 },
      { outcome: 'failed', verdict: 'settled', repeats: 0 },
      { outcome: 'failed', verdict: 'repeated', repeats: 0 },
      { outcome: 'failed', verdict: 'repeated', repeats: 0 },
      { outcome: 'processing', verdict: 'stale', repeats: 1 },
    ])
  })

  test('is accepted 60 times a minute for each supplier, over all its items', async () => {
    const [one, two] = [await order(), await order()]
    await leaseCalls(sql(), [one.item, two.item])
    for (const { item } of [one, two]) await push('first', item, processing())
    await sql()`delete from supply.rate_windows where kind = 'pushes'`
    const said = []
    for (let time = 0; time < 62; time += 1) {
      said.push(await push('first', time % 2 === 0 ? one.item : two.item, processing()))
    }
    expect(said.filter((word) => word === 'recorded')).toHaveLength(60)
    expect(said.slice(60)).toEqual(['repeated_too_often', 'repeated_too_often'])
    expect(await push('first', one.item, completed())).toBe('recorded')

    await sql()`update supply.rate_windows set started_at = started_at - interval '61 s'`
    expect(await push('first', two.item, processing())).toBe('recorded')
    expect(await attemptsOf(two.item)).toMatchObject([{ repeats: 32 }])
  })
})

describe('ops.settle_item', () => {
  // No code of another test is given again.
  beforeEach(() => renewCodes(sql()))

  test('settles a held item of keys with the missing codes', async () => {
    const { code, item } = await keys(3)
    await answer(sql(), item, completed({ codes: ['A', 'B'] }))
    await expect(sql()`select ops.settle_item(${item}, 'completed', reason => 'a test')`).rejects.toThrow(
      'exactly 3 codes',
    )
    await sql()`select ops.settle_item(${item}, 'completed', array['C'], reason => 'a test')`
    expect(await read(code)).toMatchObject({
      status: 'completed',
      items: [{ cdKeys: [{ code: 'A' }, { code: 'B' }, { code: 'C' }] }],
    })
  })

  test('fails a held item with the codes that came, as a partial result, or with none of them', async () => {
    const part = await keys(3)
    await answer(sql(), part.item, completed({ codes: ['A', 'B'] }))
    await sql()`select ops.settle_item(${part.item}, 'failed', reason => 'Товар закончился')`
    expect(await read(part.code)).toMatchObject({ outcome: 'partial', refundedAmount: 20, reason: 'Товар закончился' })

    const none = await keys(2)
    await answer(sql(), none.item, completed({ codes: ['A', 'B', 'C'] }))
    await expect(sql()`select ops.settle_item(${none.item}, 'failed', reason => 'a test')`).rejects.toThrow(
      'deliver none',
    )
    await sql()`select ops.settle_item(${none.item}, 'failed', '{}', reason => 'a test')`
    expect(await read(none.code)).toMatchObject({ outcome: 'none', refundedAmount: 40 })
  })

  test.each([[' '], ['\t\u3000'], [''], [null], ['x'.repeat(1001)]])('may not give the key %j', async (code) => {
    const { item } = await keys(3)
    await answer(sql(), item, completed({ codes: ['A', 'B'] }))
    await expect(
      sql()`select ops.settle_item(${item}, 'completed', ${[code]}::text[], reason => 'a test')`,
    ).rejects.toThrow('each code must have 1 to 1000 characters')
  })

  test('needs as many codes of a surplus as were ordered, each once, and keeps the others', async () => {
    const { code, item } = await keys(2)
    await answer(sql(), item, completed({ codes: ['A', 'B', 'C'] }))
    const settle = (codes: string[] | null) =>
      sql()`select ops.settle_item(${item}, 'completed', ${codes}, reason => 'a test')`
    await expect(settle(['A', 'A'])).rejects.toThrow('each code may be given only once')
    for (const wrong of [null, [], ['A'], ['A', 'D'], ['A', 'B', 'C']])
      await expect(settle(wrong)).rejects.toThrow('give as codes the 2 of them that are to be delivered')
    const [held] = await sql()`select codes_kept from ops.order_items where item_id = ${item}`
    expect(held?.codes_kept).toBe(3)

    await settle(['C', 'A'])
    expect((await read(code)).items[0].cdKeys).toEqual([{ code: 'A' }, { code: 'C' }])
    const attempts = await sql()`
      select method, codes from supply.supplier_attempts where item_id = ${item} order by id`
    expect(attempts).toEqual([
      { method: 'put', codes: ['A', 'B', 'C'] },
      { method: 'operator', codes: ['C', 'A'] },
    ])
    const [log] = await sql()`select detail from ops.operator_log where subject = ${`item ${item}`}`
    expect(log?.detail).toMatchObject({ delivered: 2, withheld: 1 })
  })

  test('refuses an item that is being polled, a final one and an unknown one', async () => {
    const { item } = await order()
    const settle = () => sql()`select ops.settle_item(${item}, 'completed', reason => 'a test')`
    await leaseCalls(sql(), [item])
    await expect(settle(), 'while its first call is under way').rejects.toThrow('neither stuck nor held')
    await sql()`update supply.order_items set lease_expires_at = now() - interval '1 s' where id = ${item}`
    await answer(sql(), item, unknown())
    await expect(settle(), 'once it may have been sent').rejects.toThrow('neither stuck nor held')
    await answer(sql(), item, completed())
    await expect(sql()`select ops.settle_item(${item}, 'failed', reason => 'a test')`).rejects.toThrow('final already')
    await expect(sql()`select ops.settle_item(${crypto.randomUUID()}, 'failed', reason => 'a test')`).rejects.toThrow(
      'no item',
    )
  })
})
