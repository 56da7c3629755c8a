import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import {
  answer,
  type Call,
  completed,
  failed,
  leaseCalls,
  notPlaced,
  notReceived,
  processing,
  record,
  unknown,
} from '../../support/items.ts'
import { audit } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'

const { sql, order, newItem, itemOf, jobsOf, alertsOf } = itemTests({ audited: true })

/** Makes what happened to an item older, its order included. */
async function age(item: string, by: string) {
  await sql()`update supply.supplier_attempts set started_at = started_at - ${by}::interval,
    finished_at = finished_at - ${by}::interval where item_id = ${item}`
  await sql()`update supply.order_items set sent_at = sent_at - ${by}::interval,
    next_check_at = now(), lease_expires_at = lease_expires_at - ${by}::interval,
    recovered_at = recovered_at - ${by}::interval where id = ${item}`
  await sql()`update supply.orders o set created_at = created_at - ${by}::interval
    where id = (select order_id from supply.order_items where id = ${item})`
}
const callOf = async (item: string) => (await leaseCalls(sql(), [item]))[0]
const methodOf = async (item: string) => (await callOf(item))?.method
const attempts = async (item: string) => (await sql()`select from ops.supplier_attempts where item_id = ${item}`).length

beforeAll(async () => {
  await sql()`
    insert into supply.protocols (name, repeat_safe_for, finds_by_reference, pushes, lists_offers, requests_per_call,
      asks_by_repeating, min_wait)
    values ('repeats', '89 days', false, 'events', false, 1, true, '1 minute'),
      ('paced', null, true, 'events', false, 1, false, '1 minute')`
  await sql()`select ops.upsert_supplier('other', 'http://127.0.0.1:9', 'token')`
})
beforeEach(() => sql()`update supply.suppliers set protocol = 'repeats' where code = 'first'`)

describe('at a supplier that is asked by sending the order again', () => {
  test('each call about an item sends it: after each answer, after a lost call, and when it is stuck', async () => {
    const item = await newItem()
    for (const result of [unknown(), processing(), { ...processing(), errorCode: '01' }]) {
      expect(await methodOf(item)).toBe('put')
      await age(item, '2 minutes')
      expect(await answer(sql(), item, result)).toBe('waiting')
      await age(item, '2 minutes')
    }
    expect(await answer(sql(), item, processing(), '1 minute')).toBe('stuck')
    await age(item, '11 minutes')
    expect(await answer(sql(), item, completed())).toBe('settled')
    const rows = await sql()`select distinct method from ops.supplier_attempts where item_id = ${item}`
    expect(rows).toEqual([{ method: 'put' }])
  })

  test('an item is held, with an alert and without a call, once a repeat could be a second order', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    await age(item, '88 days 23:58')
    expect(await answer(sql(), item, processing(), '100 days')).toBe('waiting')
    await age(item, '2 minutes')
    const before = await alertsOf('item_held:first')
    const calls = await attempts(item)
    expect(await methodOf(item)).toBeUndefined()
    expect(await itemOf(item)).toMatchObject({
      ...{ next_check_at: null, lease_expires_at: null },
      held_reason: 'first is asked by sending the order again, which could make a second order now',
    })
    expect([await attempts(item), await alertsOf('item_held:first')]).toEqual([calls, before + 1])
    await expect(sql()`select ops.poll_now(${item})`).rejects.toThrow('could make a second order')
    await sql()`select ops.poll_all('first')`
    expect(await methodOf(item)).toBeUndefined()
    expect(await attempts(item)).toBe(calls)
  })

  test('an operator sends a held item as a new order, which is then asked for', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    await age(item, '90 days')
    await methodOf(item)
    const [stuck] = await sql()`select may_send from ops.stuck_items where item_id = ${item}`
    expect(stuck?.may_send).toBe(true)
    await sql()`select ops.send_item(${item})`
    expect(await answer(sql(), item, unknown())).toBe('waiting')
    await age(item, '2 minutes')
    expect(await answer(sql(), item, completed())).toBe('settled')
  })

  describe('after a restore', () => {
    const recover = (item: string) =>
      sql()`update supply.order_items set recovered_at = now(), next_call = 'get', next_check_at = now() where id = ${item}`

    test('an item is asked for by the time of its order, whether the back-up says that it was sent or not', async () => {
      const [sent, unsent, old] = [await newItem(), await newItem(), await newItem()]
      await answer(sql(), sent, processing())
      await age(sent, '2 minutes')
      await age(old, '90 days')
      for (const item of [sent, unsent, old]) await recover(item)
      expect([await methodOf(sent), await methodOf(unsent), await methodOf(old)]).toEqual(['put', 'put', undefined])
      await age(unsent, '2 minutes')
      expect(await methodOf(unsent)).toBe('put')
      expect((await itemOf(old)).held_at).not.toBeNull()
    })

    test('an item that another supplier may have is held, unless this one had it, until an operator sends it', async () => {
      const [known, unknown] = [await newItem(), await newItem()]
      await answer(sql(), known, processing())
      await age(known, '2 minutes')
      await sql()`select ops.upsert_offer(${products.topUp}, 'other', 'sku', priority => 300)`
      for (const item of [known, unknown]) await recover(item)
      expect([await methodOf(known), await methodOf(unknown)]).toEqual(['put', undefined])
      await sql()`select ops.send_item(${unknown})`
      expect(await methodOf(unknown)).toBe('put')
      await age(unknown, '2 minutes')
      expect(await methodOf(unknown)).toBe('put')
      await sql()`select ops.remove_offer(${products.topUp}, 'other')`
    })
  })
})

test('an item that an operator sends again is one that was sent: its supplier looks for the order first', async () => {
  await sql()`update supply.suppliers set protocol = 'kinguin' where code = 'first'`
  const item = await newItem()
  const [first] = (await leaseCalls(sql(), [item])) as (Call & { first_sent_at: Date | null })[]
  expect(first?.first_sent_at).toBeNull()
  await record(sql(), first as Call, unknown())
  await age(item, '31 minutes')
  expect(await answer(sql(), item, notReceived())).toBe('held')
  await sql()`select ops.send_item(${item})`
  const [again] = await leaseCalls(sql(), [item])
  expect(again).toMatchObject({ method: 'put', first_sent_at: expect.any(Date) })
})

describe('the smallest wait between two calls about an item', () => {
  test.each(['repeats', 'paced'])('holds for a plan, and for what makes a call due: protocol %s', async (protocol) => {
    await sql()`update supply.suppliers set protocol = ${protocol} where code = 'first'`
    const item = await newItem()
    await answer(sql(), item, { ...processing(), supplierOrderId: `theirs-${protocol}` })
    expect((await itemOf(item)).wait).toBeGreaterThan(55)
    const due = [
      () => sql()`select ops.poll_now(${item})`,
      () => sql()`select ops.poll_all('first')`,
      () => sql()`select api.record_supplier_event('first', ${crypto.randomUUID()}, ${item}, null, false)`,
      () =>
        sql()`select api.record_supplier_event('first', ${crypto.randomUUID()}, null, ${`theirs-${protocol}`}, false)`,
    ]
    for (const make of due) {
      await make()
      expect(await methodOf(item)).toBeUndefined()
      expect((await itemOf(item)).wait).toBeGreaterThan(50)
      const [job] = await jobsOf(item)
      expect(job?.wait).toBeGreaterThan(50)
    }
    // The other items of the supplier would wait for places.
    await sql()`update supply.order_items set limited_at = null, limited_rank = null where completed_at is null`
    await age(item, '61 s')
    expect(await methodOf(item)).toBe(protocol === 'repeats' ? 'put' : 'get')
    // The call was lost: it may have been sent late in its lease.
    await age(item, '50 s')
    expect(await methodOf(item)).toBeUndefined()
    expect((await itemOf(item)).lease_expires_at).toBeNull()
  })

  test('does not hold after a call that was certainly not sent', async () => {
    const item = await newItem()
    const unreachable = { outcome: 'not_placed', cause: 'unreachable', error: 'refused', httpStatus: null }
    await answer(sql(), item, unreachable)
    expect(await methodOf(item)).toBe('put')
  })
})

test('an event about an order of the supplier is about the one item that has it', async () => {
  const items = [await newItem(), await newItem()]
  const push = async (id: string) =>
    (await sql()`select api.record_supplier_event('first', ${id}, null, 'of K1', false) as said`)[0]?.said
  const said: unknown[] = []
  for (const item of items) {
    await answer(sql(), item, { ...processing(), supplierOrderId: 'of K1' })
    said.push(await push(`event after ${item}`))
  }
  expect(said).toEqual(['recorded', 'unknown_reference'])
})

test('an event that an order failed is an alert where it was delivered, and else only a reason to ask', async () => {
  const item = await newItem()
  const push = async (id: string) =>
    (await sql()`select api.record_supplier_event('first', ${id}, ${item}, null, true) as said`)[0]?.said
  await answer(sql(), item, processing())
  const before = await alertsOf('contradicting_result:first')
  expect(await push('early')).toBe('recorded')
  expect((await itemOf(item)).status).toBe('processing')
  await age(item, '2 minutes')
  await answer(sql(), item, completed())
  expect(await alertsOf('contradicting_result:first')).toBe(before)
  expect([await push('late'), await push('late')]).toEqual(['recorded', 'repeated'])
  expect((await itemOf(item)).status).toBe('completed')
  expect(await alertsOf('contradicting_result:first')).toBe(before + 1)
})

describe('an event that an order was delivered', () => {
  const push = async (id: string, item: string) => {
    const [row] = await sql()`
      select api.record_supplier_event('first', ${id}, ${item}, null, false, says_delivered => true) as said`
    return row?.said
  }

  test('is an alert where the item failed and is refunded, and else only a reason to ask', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    const before = await alertsOf('contradicting_result:first')
    expect(await push(`early ${item}`, item)).toBe('recorded')
    await age(item, '2 minutes')
    await answer(sql(), item, failed({ errorCode: 'TIMEOUT' }))
    expect(await alertsOf('contradicting_result:first')).toBe(before)
    expect([await push(item, item), await push(item, item)]).toEqual(['recorded', 'repeated'])
    expect((await itemOf(item)).status).toBe('failed')
    expect(await alertsOf('contradicting_result:first')).toBe(before + 1)
  })

  test('is an alert where the item has left the supplier', async () => {
    await sql()`select ops.upsert_offer(${products.topUp}, 'other', 'sku', priority => 300)`
    const item = await newItem()
    expect(await answer(sql(), item, failed({ errorCode: 'OUT_OF_STOCK' }))).toBe('next_supplier')
    const before = await alertsOf('contradicting_result:first')
    expect([await push(item, item), await push(item, item)]).toEqual(['ignored', 'repeated'])
    expect(await itemOf(item)).toMatchObject({ supplier: 'other', status: 'processing' })
    expect(await alertsOf('contradicting_result:first')).toBe(before + 1)
    await sql()`select ops.remove_offer(${products.topUp}, 'other')`
  })
})

test.each(['OUT_OF_STOCK', 'DUPLICATE_ORDER'])(
  'an item that its supplier had is held where a repeat finds no order, %s: it goes nowhere else',
  async (errorCode) => {
    await sql()`select ops.upsert_offer(${products.topUp}, 'other', 'sku', priority => 300)`
    const item = await newItem()
    for (const result of [unknown(), processing()]) {
      await answer(sql(), item, result)
      await age(item, '2 minutes')
    }
    expect(await answer(sql(), item, failed({ errorCode }))).toBe('held')
    expect(await itemOf(item)).toMatchObject({
      ...{ supplier: 'first', status: 'processing' },
      held_reason: `first had the order, and says now that there is none: ${errorCode}`,
    })
    await sql()`select ops.remove_offer(${products.topUp}, 'other')`
  },
)

test('an order that is processing is asked for when its supplier wants it, and says since when it is in doubt', async () => {
  const item = await newItem()
  await answer(sql(), item, { ...processing(), retryAfter: 600, errorCode: '01' })
  expect((await itemOf(item)).wait).toBeGreaterThan(590)
  await age(item, '10 minutes')
  const call = (await callOf(item)) as (Call & { doubted_at?: Date }) | undefined
  expect(Date.now() - Number(call?.doubted_at)).toBeGreaterThan(590_000)
  await record(sql(), call as Call, processing())
  await age(item, '10 minutes')
  const certain = (await callOf(item)) as (Call & { doubted_at: Date | null }) | undefined
  expect(certain?.doubted_at).toBeNull()
})

describe('the recipient of an offer', () => {
  const offer = (recipient: string) =>
    sql()`select ops.upsert_offer(${products.topUp}, 'first', 'sku-101', recipient => ${recipient})`
  const recipientOf = async (item: string) => ((await callOf(item)) as { recipient?: string } | undefined)?.recipient
  const fields = [
    { id: 'gameUserId', required: true },
    { id: 'zone', required: true },
    { id: 'note', required: false },
  ]
  const setFields = (given: object[]) => sql()`
    select ops.upsert_product(${products.topUp}, 'space-trader', '100 credits', 10.50, 'RUB', 'id_only', ${sql().json(given as never)})`

  test('is made of required fields of the product', async () => {
    await setFields(fields)
    for (const wrong of ['12345', '{gameUserId', '{gameUserId}}', '{}', '{game User}']) {
      await expect(offer(wrong)).rejects.toThrow('recipient must be a text')
    }
    for (const id of ['server', 'note']) await expect(offer(`{gameUserId}/{${id}}`)).rejects.toThrow(`the field ${id}`)
    await offer('{gameUserId} ({zone})')
    await expect(setFields([{ id: 'gameUserId', required: true }])).rejects.toThrow('needs the field zone')
    const [shown] =
      await sql()`select recipient from ops.offers where product_id = ${products.topUp} and supplier = 'first'`
    expect(shown?.recipient).toBe('{gameUserId} ({zone})')
  })

  test('has the fields of the order, and stays the same for an item that was sent', async () => {
    const request = {
      items: [{ productId: products.topUp, quantity: 1, deliveryData: { gameUserId: ' 51 ', zone: 7 } }],
    }
    const { item } = await order(request)
    expect(await recipientOf(item)).toBe('51 (7)')
    await offer('{zone}{gameUserId}')
    await age(item, '2 minutes')
    expect(await recipientOf(item)).toBe('51 (7)')
    expect(await recipientOf((await order(request)).item)).toBe('751')
    await offer('')
    expect(await recipientOf((await order(request)).item)).toBeNull()
    await setFields([{ id: 'gameUserId', required: true }])
    expect(await audit(sql())).toEqual([])
  })
})

describe('while its supplier is paused', () => {
  test.each<[string, string, { outcome: string }[], string | undefined]>([
    ['an item that was never sent waits', 'repeats', [], undefined],
    ['an item whose call certainly made no order waits', 'repeats', [notPlaced()], undefined],
    ['an item in doubt is asked for by sending it', 'repeats', [unknown()], 'put'],
    ['an item under way is asked for by sending it', 'repeats', [processing(), unknown()], 'put'],
    ['an item in doubt is asked for', 'http', [unknown()], 'get'],
    ['an item that the supplier does not know waits', 'http', [unknown(), notReceived()], undefined],
    ['an item that the supplier denies after it had it waits', 'http', [processing(), notReceived()], undefined],
  ])('%s (%s)', async (_, protocol, before, method) => {
    await sql()`update supply.suppliers set protocol = ${protocol} where code = 'first'`
    const item = await newItem()
    for (const result of before) {
      expect(await answer(sql(), item, result)).toBe('waiting')
      await age(item, '2 minutes')
    }
    await sql()`select ops.set_supplier_paused('first', 'a test')`
    const calls = await attempts(item)
    expect(await methodOf(item)).toBe(method)
    const [plan] = await sql()`
      select detail from supply.order_items i cross join lateral core.history_of_plans(i.order_id) where i.id = ${item}`
    if (method === undefined)
      expect(plan?.detail.includes('another supplier')).toBe(before.every(({ outcome }) => outcome === 'not_placed'))
    await sql()`select ops.set_supplier_paused('first', null)`
    if (method !== undefined) return
    expect(await attempts(item)).toBe(calls)
    await sql()`select work.fill_places()`
    expect(await methodOf(item)).toBe('put')
  })
})
