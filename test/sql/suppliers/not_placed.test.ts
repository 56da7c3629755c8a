import { beforeEach, describe, expect, test } from 'vitest'
import { closeAlerts } from '../../support/alerts.ts'
import { itemTests } from '../../support/item_tests.ts'
import {
  answer,
  completed,
  failed,
  hold,
  leaseCalls,
  notPlaced,
  notReceived,
  processing,
  record,
  unknown,
} from '../../support/items.ts'
import { balanceOf } from '../../support/orders.ts'

const { sql, partner, order, keys, read, itemOf, alertsOf, push } = itemTests({ audited: true })

beforeEach(async () => {
  await sql()`update supply.suppliers set failures = 0, open_since = null, trial_at = null, trouble = null`
})

const methodOf = async (item: string) => (await leaseCalls(sql(), [item]))[0]?.method

describe('an item whose call placed no order', () => {
  test('is sent again, and counts as never sent', async () => {
    const { code, item } = await order()
    for (let i = 0; i < 3; i += 1) {
      expect(await answer(sql(), item, notPlaced())).toBe('waiting')
      expect(await itemOf(item)).toMatchObject({ next_call: 'put', sent_at: null, checks: i + 1 })
    }
    expect((await read(code)).status).toBe('processing')
    expect(await balanceOf(sql(), partner())).toBe(989.5)
    expect(await methodOf(item)).toBe('put')
  })

  test('has no deadline while it was never sent, and is never stuck', async () => {
    const { item } = await order()
    expect(await answer(sql(), item, notPlaced(), '0 s')).toBe('waiting')
    expect(await itemOf(item)).toMatchObject({ stuck_at: null, next_call: 'put' })
  })

  test('counts as sent when an earlier call may have placed an order', async () => {
    const { item } = await order()
    await answer(sql(), item, unknown())
    await answer(sql(), item, notReceived())
    expect(await answer(sql(), item, notPlaced())).toBe('waiting')
    expect(await itemOf(item)).toMatchObject({ next_call: 'put', sent_at: expect.any(Date) })
  })

  test('counts as sent when an earlier call was lost with its worker', async () => {
    const { item } = await order()
    await leaseCalls(sql(), [item])
    await sql()`update supply.order_items set lease_expires_at = now() - interval '1 s' where id = ${item}`
    await answer(sql(), item, notReceived())
    await answer(sql(), item, notPlaced())
    expect(await itemOf(item)).toMatchObject({ next_call: 'put', sent_at: expect.any(Date) })
  })

  test('is polled, and not sent again, when the supplier pushed that it has an order', async () => {
    const { item } = await order()
    const [call] = await leaseCalls(sql(), [item])
    await push('first', item, processing())
    await record(sql(), call as never, notPlaced())
    expect(await itemOf(item)).toMatchObject({ next_call: 'get', sent_at: expect.any(Date) })
  })

  test('is not sent again for an answer to a poll, which proves nothing', async () => {
    const { item } = await order()
    await answer(sql(), item, unknown())
    expect(await answer(sql(), item, notPlaced())).toBe('waiting')
    expect(await itemOf(item)).toMatchObject({ next_call: 'get', sent_at: expect.any(Date) })
    const [attempt] = await sql()`
      select outcome from ops.supplier_attempts where item_id = ${item} order by attempt_id desc limit 1`
    expect(attempt?.outcome).toBe('unknown')
  })
})

describe('a fault that an operator must fix', () => {
  const trouble = async () => {
    const [row] = await sql()`select trouble from ops.suppliers where code = 'first'`
    return row?.trouble
  }
  const closes = async (cause: string) => {
    await closeAlerts(sql())
    const [open] = await sql()`select count(*)::int as n from ops.alerts where cause = ${cause} and closed_at is null`
    return open?.n === 0
  }

  test.each(['balance', 'credentials', 'settings'])(
    '(%s) is alerted until a later order is answered',
    async (cause) => {
      const alert = `supplier_${cause}:first`
      const { item } = await order()
      await answer(sql(), item, notPlaced(cause))
      const once = await alertsOf(alert)
      expect(once).toBeGreaterThan(0)
      expect(await trouble()).toBe(cause)
      expect(await sql()`select what, subject from ops.attention where what = ${`supplier ${cause}`}`).toEqual([
        { what: `supplier ${cause}`, subject: 'supplier first' },
      ])
      await answer(sql(), item, notPlaced('busy'))
      await answer(sql(), item, unknown())
      await answer(sql(), item, processing())
      expect(await closes(alert)).toBe(false)
      const other = await order()
      await answer(sql(), other.item, failed())
      expect(await trouble()).toBeNull()
      expect(await closes(alert)).toBe(true)
      expect(await alertsOf(alert)).toBe(once)
    },
  )
})

describe('an answer that an operator must check', () => {
  test('holds the item with its reason and its codes, without further calls', async () => {
    const { code, item } = await keys(2)
    const before = await alertsOf('item_held:first')
    expect(await answer(sql(), item, hold(['A', 'B', 'C']))).toBe('held')
    expect(await itemOf(item)).toMatchObject({
      ...{ held_reason: 'a different body', next_check_at: null, next_call: 'get', supplier_order_id: 'theirs' },
    })
    expect(await alertsOf('item_held:first')).toBe(before + 1)
    const [stuck] = await sql()`select why, codes_kept, may_send from ops.stuck_items where item_id = ${item}`
    expect(stuck).toEqual({ why: 'held', codes_kept: 3, may_send: false })
    expect((await read(code)).status).toBe('processing')
    await sql()`select ops.settle_item(${item}, 'completed', codes => array['A', 'C'], reason => 'a test')`
    expect((await read(code)).status).toBe('completed')
  })

  test('is a contradicting result when it brings codes for a final item', async () => {
    const { item } = await keys(1)
    const [call] = await leaseCalls(sql(), [item])
    await push('first', item, completed({ codes: ['A'] }))
    expect(await record(sql(), call as never, hold(['B']))).toBe('contradicting')
  })
})

describe('an item that was not sent, because its supplier could not be reached,', () => {
  const sellsToo = async (supplier: string, item: string) => {
    await sql()`select ops.upsert_supplier(${supplier}, 'http://127.0.0.1:9', 'token')`
    await sql()`select ops.upsert_offer(product_id, ${supplier}, 'S-1', priority => 200)
      from supply.order_items where id = ${item}`
  }
  test('goes to the next offer at once, and after the last offer to the best one with a delay', async () => {
    const { item } = await order()
    await sellsToo('second', item)
    await answer(sql(), item, notPlaced('unreachable'))
    expect(await itemOf(item)).toMatchObject({ supplier: 'second', next_call: 'put', sent_at: null, checks: 0 })
    expect((await itemOf(item)).wait).toBeLessThanOrEqual(0)
    await answer(sql(), item, notPlaced('unreachable'))
    expect(await itemOf(item)).toMatchObject({ supplier: 'first', next_call: 'put', sent_at: null, checks: 1 })
    expect(Math.ceil((await itemOf(item)).wait)).toBe(1)
    expect(await methodOf(item)).toBe('put')
    await sql()`delete from supply.offers where supplier = 'second'`
  })

  test('stays at its supplier when an earlier call may have placed an order', async () => {
    const { item } = await order()
    await sellsToo('second', item)
    await answer(sql(), item, unknown())
    await answer(sql(), item, notReceived())
    await answer(sql(), item, notPlaced('unreachable'))
    expect(await itemOf(item)).toMatchObject({ supplier: 'first' })
    await sql()`delete from supply.offers where supplier = 'second'`
  })
})
