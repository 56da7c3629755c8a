import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import {
  answer,
  type Call,
  completed,
  failed,
  finishCalls,
  leaseCalls,
  notPlaced,
  notReceived,
  processing,
  record,
  unknown,
} from '../../support/items.ts'
import { audit, balanceOf } from '../../support/orders.ts'

const { sql, partner, order, read, itemOf, alertsOf } = itemTests()

describe('an item that is leased before it is sent', () => {
  test('is leased on the disk, also where a repeat is safe: after a crash it must not look unsent', async () => {
    const { item } = await order()
    const waits = await sql().begin(async (tx) => {
      await tx`set local synchronous_commit = 'on'`
      expect(await tx`select method from work.begin_calls(${[item]}, '{}', null)`).toEqual([{ method: 'put' }])
      return tx`show synchronous_commit`
    })
    expect(waits).toEqual([{ synchronous_commit: 'on' }])
  })

  test('is sent once: then it is polled until the supplier says that it never received it', async () => {
    const { item } = await order()
    const [first] = await leaseCalls(sql(), [item])
    expect(first).toMatchObject({ method: 'put', sku: 'sku-101', quantity: 1, reference: item })
    expect(await leaseCalls(sql(), [item])).toEqual([])
    if (first) await record(sql(), first, unknown())
    const [second] = await leaseCalls(sql(), [item])
    expect(second?.method).toBe('get')
    if (second) expect(await record(sql(), second, notReceived())).toBe('waiting')
    const [third] = await leaseCalls(sql(), [item])
    expect(third?.method).toBe('put')
  })

  test('takes the first of two results in one batch, and answers busy for the second', async () => {
    const { code, item } = await order()
    const [call] = await leaseCalls(sql(), [item])
    const twice = [call, call] as Call[]
    const { verdicts } = await finishCalls(sql(), twice, (index) => (index === 0 ? failed() : completed()))
    expect(verdicts).toEqual(['settled', 'busy'])
    expect(await record(sql(), call as Call, completed())).toBe('contradicting')
    expect((await read(code)).status).toBe('failed')
    expect(await balanceOf(sql(), partner())).toBe(1000)
  })

  test('delays another job until its lease ends', async () => {
    const { item } = await order()
    await leaseCalls(sql(), [item])
    await sql()`select * from work.begin_calls(${[item]}, '{}', null)`
    const [job] = await sql()`
      select extract(epoch from run_at - now())::float as wait from graphile_worker.jobs where key = ${`call_supplier:${item}`}`
    expect(job?.wait).toBeGreaterThan(40)
  })
})

describe('polling', () => {
  test.each([
    ['processing', processing()],
    ['an unknown outcome', unknown()],
    ['a call that placed no order', notPlaced()],
  ])('after %s comes after 1, 2, 5, 10, 20, 30 s, then every 60 s', async (_, result) => {
    const { item } = await order()
    const waits: number[] = []
    for (let i = 0; i < 9; i += 1) {
      expect(await answer(sql(), item, result)).toBe('waiting')
      waits.push(Math.ceil((await itemOf(item)).wait))
    }
    expect(waits).toEqual([1, 2, 5, 10, 20, 30, 60, 60, 60])
    expect(await audit(sql())).toEqual([])
  })

  test('waits as long as the supplier asks', async () => {
    for (const result of [unknown(17), notPlaced('busy', 17)]) {
      const { item } = await order()
      await answer(sql(), item, result)
      expect(Math.ceil((await itemOf(item)).wait)).toBe(17)
    }
  })
})

describe('the deadline', () => {
  test('makes an item stuck: alerted, still processing, polled every ten minutes, never sent again', async () => {
    const { code, item } = await order()
    await answer(sql(), item, unknown())
    const before = await alertsOf('item_stuck:first')
    await sql()`update supply.order_items set sent_at = now() - interval '25 hours' where id = ${item}`
    expect(await answer(sql(), item, processing())).toBe('stuck')
    expect(Math.ceil((await itemOf(item)).wait)).toBe(600)
    expect(await alertsOf('item_stuck:first')).toBe(before + 1)
    expect(await answer(sql(), item, notReceived())).toBe('waiting')
    expect((await leaseCalls(sql(), [item]))[0]?.method).toBe('get')
    expect((await read(code)).status).toBe('processing')
    expect(await balanceOf(sql(), partner())).toBe(989.5)
    expect(await audit(sql())).toEqual([])
  })

  test('is met to the second: the last poll before it is not later', async () => {
    const { item } = await order()
    await answer(sql(), item, unknown(), '3 s')
    await answer(sql(), item, unknown(), '3 s')
    await answer(sql(), item, unknown(), '3 s')
    expect((await itemOf(item)).wait).toBeLessThanOrEqual(3)
  })
})
