import { describe, expect, test } from 'vitest'
import { leaseAttempt } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed } from '../../support/items.ts'
import { place } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { sql, operator, partner, order, read, newEvent } = itemTests({ name: 'Acme Games', isolated: true })

const find = async (text: string | null) => [...(await operator()`select * from ops.find(${text})`)]
const newAlert = () =>
  oneValue<string>(
    sql()`insert into supply.alerts (id, kind, subject, hour, message)
      values (gen_random_uuid(), 'audit', 'a_check', now(), 'what happened') returning id`,
  )
/** What a result about this account or one of its own has. */
const ofPartner = (kind: string, id: string | number) => ({ kind, id: `${id}`, account_id: `${partner().accountId}` })

describe('ops.find finds', () => {
  test('an order by each of its names, and its items', async () => {
    const { code, item } = await order({ externalOrderId: 'their-1', idempotencyKey: 'key-of-1' })
    await answer(sql(), item, { ...completed(), supplierOrderId: 'at-first-1' })
    const { paymentCode } = await read(code)
    for (const [text, detail] of [
      [` ${code}\n`, /^its code; completed, 10.50 RUB, placed 20/],
      [paymentCode, /payment code/],
      ['their-1', /external id/],
      ['key-of-1', /idempotency key/],
    ] as const) {
      expect(await find(text)).toMatchObject([
        { ...ofPartner('order', code), order_code: code, detail: expect.stringMatching(detail) },
      ])
    }
    const found = { kind: 'item', order_code: code, id: item }
    expect(await find(item.toUpperCase())).toMatchObject([
      { ...found, detail: 'its id; 1 × 100 credits, completed, at first' },
    ])
    expect(await find('at-first-1')).toMatchObject([
      { ...found, detail: expect.stringMatching(/^the supplier's order id; /) },
    ])
  })

  test('an event, a sample and an alert by its id', async () => {
    const event = await newEvent()
    expect(await find(event)).toMatchObject([{ kind: 'event', id: event, detail: 'its id; order.completed, waiting' }])
    await leaseAttempt(sql(), event)
    await sql()`update supply.events set simulated = true, order_id = null where id = ${event}`
    expect(await find(event)).toMatchObject([{ kind: 'sample', id: event }])
    const alert = await newAlert()
    expect(await find(alert)).toMatchObject([
      { kind: 'alert', id: alert, detail: expect.stringMatching(/^what happened; 1 times/) },
    ])
  })

  test('an account or a product by its number or a part of its name, and a supplier by its code', async () => {
    const acme = ofPartner('account', partner().accountId)
    expect(await find('acme')).toMatchObject([{ ...acme, detail: 'Acme Games; supply, live, active' }])
    expect(await find(acme.id)).toContainEqual(expect.objectContaining(acme))
    expect(await find('GIFT')).toMatchObject([
      { kind: 'product', id: String(products.key), detail: 'Gift key; 20.00 RUB, in stock' },
    ])
    expect(await find(String(products.topUp))).toMatchObject([{ kind: 'product', id: '101' }])
    expect(await find('FIRST')).toMatchObject([{ kind: 'supplier', id: 'first' }])
  })

  test('a key by its visible part or whole, and shows no whole key', async () => {
    const { key, keyId } = partner()
    const last4 = key.slice(-4)
    for (const text of [key, last4, `svc_live_…${last4}`, `svc_live_...${last4}`, 'svc_live_']) {
      const rows = await find(text)
      expect(rows, text).toContainEqual({
        ...{ ...ofPartner('api_key', keyId), order_code: null },
        detail: `key ${keyId}, svc_live_…${last4}, full, valid`,
      })
      expect(JSON.stringify(rows)).not.toContain(key)
    }
  })
})

test('ops.find finds nothing for a text that fits nothing', async () => {
  expect(await find('nothing of that name')).toEqual([])
  expect(await find('%')).toEqual([])
})

test('the log shows who acknowledged an alert with which note', async () => {
  const alert = await newAlert()
  await operator()`select ops.acknowledge(${alert}, ' seen ')`
  expect(await operator()`select note, acknowledged_by from ops.alerts where alert_id = ${alert}`).toEqual([
    { note: 'seen', acknowledged_by: operator.login },
  ])
  expect(await operator()`select who, subject from ops.operator_log where action = 'acknowledge'`).toEqual([
    { who: operator.login, subject: `alert ${alert}` },
  ])
})

test('an order code finds only that order, although another partner uses it as a reference', async () => {
  const { code } = await order()
  const other = await makePartner(sql(), { name: 'A rival' })
  await place(sql(), other, { externalOrderId: code, idempotencyKey: code })
  expect(await find(code)).toMatchObject([{ kind: 'order', id: code }])
  const story = await operator()`select what from ops.order_story(${code})`
  expect(story.map(({ what }) => what)).toContain('charged')
})
