import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, leaseCalls } from '../../support/items.ts'
import { balanceOf } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'

const { sql, partner, order, keys, read, eventsOf, alertsOf } = itemTests({ audited: true })

describe('an order ends', () => {
  test('completed when all items are, with its event', async () => {
    const { code, items } = await order({
      callbackUrl: 'https://hooks.example/x',
      items: [{ productId: products.topUp, quantity: 2 }, { productId: products.key }],
    })
    await answer(sql(), items[0] ?? '', completed())
    expect((await read(code)).status).toBe('processing')
    await answer(sql(), items[1] ?? '', completed({ codes: ['AAA-1'] }))
    const ended = await read(code)
    expect(ended).toMatchObject({ status: 'completed', outcome: 'full', refundedAmount: 0, error: null, reason: null })
    expect(ended.items[1].cdKeys).toEqual([{ code: 'AAA-1' }])
    expect(ended.completedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(ended.updatedAt).toBe(ended.completedAt)
    const [event] = await eventsOf(code)
    expect(JSON.parse(event?.body)).toEqual({
      event_id: event?.id,
      event_type: 'order.completed',
      occurred_at: ended.completedAt,
      data: {
        orderCode: code,
        externalOrderId: ended.externalOrderId,
        totalAmount: 41,
        status: 'completed',
        items: [
          { productName: '100 credits', amount: 2, price: 10.5 },
          { productName: 'Gift key', amount: 1, price: 20, cdKeys: [{ code: 'AAA-1' }] },
        ],
        completedAt: ended.completedAt,
      },
    })
    expect(await balanceOf(sql(), partner())).toBe(959)
  })

  test("failed when all items failed, refunded, with its event and the supplier's Russian reason", async () => {
    const { code, item } = await order({ callbackUrl: 'https://hooks.example/x' })
    await answer(sql(), item, failed({ errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден.' }))
    const ended = await read(code)
    expect(ended).toMatchObject({
      status: 'failed',
      outcome: 'none',
      totalAmount: 10.5,
      refundedAmount: 10.5,
      error: 'ORDER_FAILED',
      reason: 'Игрок не найден.',
      items: [
        { status: 'failed', errorCode: 'PLAYER_NOT_FOUND', errorMessage: 'Игрок не найден.', refundedAmount: 10.5 },
      ],
    })
    const [event] = await eventsOf(code)
    expect(JSON.parse(event?.body).data).toEqual({
      orderCode: code,
      externalOrderId: ended.externalOrderId,
      totalAmount: 10.5,
      status: 'failed',
      error: 'ORDER_FAILED',
      reason: 'Игрок не найден.',
      completedAt: ended.completedAt,
    })
    expect(await balanceOf(sql(), partner())).toBe(1000)
  })

  test('mixed as failed, with the failed items refunded, the keys shown, and no event', async () => {
    const { code, items } = await order({
      callbackUrl: 'https://hooks.example/x',
      items: [{ productId: products.topUp }, { productId: products.key, quantity: 2 }],
    })
    await answer(sql(), items[1] ?? '', completed({ codes: ['A', 'B'] }))
    await answer(
      sql(),
      items[0] ?? '',
      failed({ errorCode: 'REGION_MISMATCH', reason: 'NullPointerException at Foo.java' }),
    )
    expect(await read(code)).toMatchObject({
      status: 'failed',
      outcome: 'partial',
      totalAmount: 50.5,
      refundedAmount: 10.5,
      reason: null,
      items: [
        { status: 'failed', refundedAmount: 10.5 },
        { status: 'completed', cdKeys: [{ code: 'A' }, { code: 'B' }] },
      ],
    })
    expect(await eventsOf(code)).toEqual([])
    expect(await balanceOf(sql(), partner())).toBe(960)
  })

  test('with the reason of the first failed item that has one', async () => {
    const { code, items } = await order({
      items: [{ productId: products.topUp }, { productId: products.topUp }, { productId: products.key }],
    })
    const said = [{ reason: 'timeout at 10.0.0.3' }, { reason: 'Игрок не найден.' }, { reason: 'Нет ключей.' }]
    for (const [index, item] of [...items.entries()].reverse()) await answer(sql(), item, failed(said[index]))
    expect(await read(code)).toMatchObject({ status: 'failed', outcome: 'none', reason: 'Игрок не найден.' })
  })

  test('with an event whose id depends only on its code, and so is the same after a restore', async () => {
    const { code, item } = await order({ callbackUrl: 'https://hooks.example/x' })
    await answer(sql(), item, completed())
    const [event] = await eventsOf(code)
    expect(await sql()`select core.event_id(${code}) as again, core.event_id('ord_1') as known`).toEqual([
      { again: event?.id, known: '5e9a913d-731b-8a47-868b-57b98fc886cf' },
    ])
  })

  test('once: ending it again refunds nothing and sends no event', async () => {
    const { code, item } = await order({ callbackUrl: 'https://hooks.example/x' })
    await answer(sql(), item, failed())
    const ended = await read(code)
    await sql()`select core.finish_orders(array(select id from supply.orders where code = ${code}))`
    expect(await read(code)).toEqual(ended)
    expect(await balanceOf(sql(), partner())).toBe(1000)
    expect(await eventsOf(code)).toHaveLength(1)
  })
})

describe('an item of keys', () => {
  test.each([
    ['fewer codes with completed', completed({ codes: ['A', 'B'] })],
    ['more codes with completed', completed({ codes: ['A', 'B', 'C', 'D'] })],
    ['as many codes with failed', failed({ codes: ['A', 'B', 'C'] })],
    ['the same code twice', completed({ codes: ['A', 'B', 'B'] })],
    ['the same code twice beside enough others', completed({ codes: ['A', 'B', 'C', 'C'] })],
    ['the same code twice with failed', failed({ codes: ['A', 'A'] })],
  ])('is held for an operator on %s: codes kept, nothing refunded', async (_, result) => {
    const { code, item } = await keys(3)
    const before = await alertsOf('item_held:first')
    expect(await answer(sql(), item, result)).toBe('held')
    expect(await alertsOf('item_held:first')).toBe(before + 1)
    expect((await read(code)).items).toMatchObject([{ status: 'processing', amount: 3 }])
    const kept = await sql()`select code from supply.item_keys where item_id = ${item}`
    expect(kept.length).toBe(new Set(result.codes).size)
    expect(await balanceOf(sql(), partner())).toBe(940)
    expect(await leaseCalls(sql(), [item])).toEqual([])
  })

  test('that is held is settled by a complete answer with the kept codes', async () => {
    const { code, item } = await keys(3)
    await answer(sql(), item, completed({ codes: ['A', 'B'] }))
    await sql()`select ops.poll_now(${item})`
    expect(await answer(sql(), item, completed({ codes: ['X', 'Y', 'Z'] }))).toBe('held')
    await sql()`delete from supply.item_keys where item_id = ${item} and code in ('X', 'Y', 'Z')`
    await sql()`select ops.poll_now(${item})`
    expect(await answer(sql(), item, completed({ codes: ['A', 'B', 'C'] }))).toBe('settled')
    expect((await read(code)).items[0].cdKeys).toEqual([{ code: 'A' }, { code: 'B' }, { code: 'C' }])
  })

  test('gets no codes when it is a top-up: they are only recorded', async () => {
    const { code, item } = await order()
    expect(await answer(sql(), item, completed({ codes: ['A'] }))).toBe('settled')
    expect((await read(code)).items[0]).not.toHaveProperty('cdKeys')
    const [attempt] = await sql()`select codes from supply.supplier_attempts where item_id = ${item}`
    expect(attempt?.codes).toEqual(['A'])
  })
})
