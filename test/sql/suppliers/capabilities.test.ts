import { beforeAll, describe, expect, test } from 'vitest'
import { createAdapters } from '../../../src/suppliers/adapters.ts'
import { itemTests } from '../../support/item_tests.ts'
import {
  answer,
  completed,
  finishCalls,
  leaseCalls,
  notPlaced,
  notReceived,
  processing,
  unknown,
} from '../../support/items.ts'
import { lastLogged } from '../../support/operator.ts'
import { audit } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'

const { sql, order, keys, itemOf, alertsOf } = itemTests()

const speak = (protocol: string) => sql()`update supply.suppliers set protocol = ${protocol} where code = 'first'`
const later = (item: string, age: string) =>
  sql()`update supply.order_items set sent_at = now() - ${age}::interval where id = ${item}`
const methodOf = async (item: string) => (await leaseCalls(sql(), [item]))[0]?.method

beforeAll(() => speak('kinguin'))

describe('at a supplier where a repeat is not safe', () => {
  test('an item with an unknown outcome is only polled, however often the supplier does not know it', async () => {
    const { item } = await order()
    await answer(sql(), item, unknown())
    for (let i = 0; i < 3; i += 1) {
      expect(await answer(sql(), item, notReceived())).toBe('waiting')
      expect((await itemOf(item)).next_call).toBe('get')
    }
    expect((await itemOf(item)).checks).toBe(4)
    expect(await methodOf(item)).toBe('get')
  })

  test('an unknown item is held for an operator half an hour after it was sent, with an alert', async () => {
    const { item } = await keys(1)
    await answer(sql(), item, unknown())
    await later(item, '29 minutes')
    expect(await answer(sql(), item, notReceived())).toBe('waiting')
    await later(item, '31 minutes')
    const before = await alertsOf('item_held:first')
    expect(await answer(sql(), item, notReceived())).toBe('held')
    expect(await itemOf(item)).toMatchObject({
      ...{ next_check_at: null, held_reason: 'first does not have it; sending it again is not safe' },
    })
    expect(await alertsOf('item_held:first')).toBe(before + 1)
    const [line] = await sql()`select detail, remedy from ops.attention where subject = ${`item ${item}`}`
    expect(line?.remedy).toBe(`select * from ops.order_story('${item}')`)
    expect(line?.detail).toContain('check there first')
    expect(await audit(sql())).toEqual([])
  })

  test('an operator sends a held item again once, and then it is only polled', async () => {
    const { item } = await order()
    await answer(sql(), item, unknown())
    await later(item, '31 minutes')
    await answer(sql(), item, notReceived())
    await sql()`select ops.send_item(${item})`
    expect(await lastLogged(sql())).toMatchObject({ action: 'send_item' })
    expect(await answer(sql(), item, notPlaced('balance'))).toBe('waiting')
    expect(await itemOf(item)).toMatchObject({ next_call: 'put' })
    expect(await answer(sql(), item, unknown())).toBe('waiting')
    expect(await answer(sql(), item, notReceived())).toBe('waiting')
    expect(await methodOf(item)).toBe('get')
    await expect(sql()`select ops.send_item(${item})`).rejects.toThrow('is not held')
  })

  test('send_item refuses an item that is held for another reason, or has codes', async () => {
    const { item } = await keys(2)
    expect(await answer(sql(), item, completed({ codes: ['A'] }))).toBe('held')
    await expect(sql()`select ops.send_item(${item})`).rejects.toThrow('is not that it does not have')
    await sql()`select ops.poll_now(${item})`
    await later(item, '31 minutes')
    expect(await answer(sql(), item, notReceived())).toBe('held')
    await expect(sql()`select ops.send_item(${item})`).rejects.toThrow('is not that it does not have')
  })

  test('many held items are one line of ops.attention, whose remedy lists them all', async () => {
    for (let i = 0; i < 12; i += 1) {
      const { item } = await order()
      await answer(sql(), item, unknown())
      await later(item, '31 minutes')
      await answer(sql(), item, notReceived())
    }
    const [line] = await sql()`select remedy from ops.attention where what = 'item held' and subject = 'supplier first'`
    expect(line?.remedy).toBe(`select * from ops.stuck_items where supplier = 'first' and may_send`)
    expect((await sql().unsafe(line?.remedy)).length).toBeGreaterThanOrEqual(12)
    await sql()`select ops.send_item(item_id) from ops.stuck_items where may_send`
    expect(await sql()`select from ops.stuck_items where may_send`).toHaveLength(0)
  })
})

describe('at a supplier where a repeat is safe for 23 hours', () => {
  const sent = async (age: string) => {
    await speak('b2b')
    const { item } = await order()
    await answer(sql(), item, unknown())
    await later(item, age)
    return item
  }

  test.each([
    ['is sent again within that time', '22 hours', 'waiting', 'put'],
    ['is held after that time', '23 hours 1 minute', 'held', undefined],
    ['is held when its call could arrive after that time', '22 hours 59 minutes 10 seconds', 'held', undefined],
  ])('an unknown item %s', async (_, age, verdict, method) => {
    const item = await sent(age)
    expect(await answer(sql(), item, notReceived())).toBe(verdict)
    expect(await methodOf(item)).toBe(method)
  })

  test('an unknown item is not sent by a worker that was away when that time ended', async () => {
    const item = await sent('22 hours')
    await answer(sql(), item, notReceived())
    await later(item, '23 hours 1 minute')
    expect(await methodOf(item)).toBe('get')
  })

  test('an item from before a restore is only polled', async () => {
    const item = await sent('1 minute')
    await sql()`update supply.order_items set recovered_at = now() - interval '2 minutes' where id = ${item}`
    expect(await answer(sql(), item, notReceived())).toBe('waiting')
    expect(await methodOf(item)).toBe('get')
  })
})

test('an unknown protocol has no capabilities', async () => {
  await speak('telepathy')
  const { item } = await order({ items: [{ productId: products.key }] })
  await answer(sql(), item, unknown())
  await answer(sql(), item, notReceived())
  expect(await methodOf(item)).toBe('get')
})

describe('check_protocols lets a worker start', () => {
  const refusal = async (capabilities: object) => {
    const [row] = await sql()`select work.check_protocols(${sql().json(capabilities as never)}) as refusal`
    return row?.refusal
  }

  test('with adapters that declare what the database says', async () => {
    const adapters = createAdapters()
    expect(Object.keys(adapters.capabilities).length).toBeGreaterThan(0)
    expect(await refusal(adapters.capabilities)).toBeNull()
    await adapters.close()
  })

  test('with fewer adapters, but not with an unknown protocol or other capabilities', async () => {
    const http = {
      ...{ repeatSafeSeconds: null, findsByReference: true, pushes: 'results', listsOffers: false, requestsPerCall: 1 },
      ...{ asksByRepeating: false, minWaitSeconds: null },
      reportsBalance: true,
    }
    expect(await refusal({ http })).toBeNull()
    expect(await refusal({})).toBeNull()
    expect(await refusal({ http, other: http })).toMatch(/^the protocol other .* is not in supply.protocols/)
    for (const change of [{ repeatSafeSeconds: 60 }, { pushes: null }, { requestsPerCall: 2 }]) {
      expect(await refusal({ http: { ...http, ...change } })).toMatch(/^the protocol http .* has other capabilities/)
    }
  })
})

describe('a supplier that denies an order that it had', () => {
  const named = (supplierOrderId: string) => ({ ...processing(), supplierOrderId })
  const contradictions = () => alertsOf('contradicting_result:first')

  test('gets it again only by the steps where a repeat is safe, with an alert each time', async () => {
    await speak('http')
    const { item } = await order()
    const before = await contradictions()
    expect(await answer(sql(), item, processing())).toBe('waiting')
    for (const checks of [2, 4]) {
      expect(await answer(sql(), item, notReceived())).toBe('waiting')
      expect(await itemOf(item)).toMatchObject({ checks, next_call: 'put' })
      const [row] =
        await sql()`select next_check_at > now() + interval '1 s' as is_later from supply.order_items where id = ${item}`
      expect(row?.is_later).toBe(true)
      expect(await methodOf(item)).toBe('put')
      const [call] = await sql()`select id as item_id, lease_token from supply.order_items where id = ${item}`
      await finishCalls(sql(), [call as never], processing())
    }
    expect(await contradictions()).toBe(before + 2)
    await speak('kinguin')
  })

  test('has it held at once where a repeat is not safe, and gets no further PUT', async () => {
    await speak('kinguin')
    const { item } = await order()
    await answer(sql(), item, processing())
    const before = await alertsOf('item_held:first')
    expect(await answer(sql(), item, notReceived())).toBe('held')
    expect((await itemOf(item)).held_reason).toBe('first had it and does not know it now; sending it again is not safe')
    expect(await alertsOf('item_held:first')).toBe(before + 1)
    expect(await methodOf(item)).toBeUndefined()
  })

  test('or names another order for it causes an alert, once for each change', async () => {
    const { item } = await order()
    const before = await contradictions()
    for (const id of ['theirs-1', 'theirs-1', 'theirs-2', 'theirs-2']) await answer(sql(), item, named(id))
    expect(await contradictions()).toBe(before + 1)
    await answer(sql(), item, { ...completed(), supplierOrderId: 'theirs-3' })
    expect(await contradictions()).toBe(before + 2)
  })
})
