import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { leaseAttempt, makeEvent } from '../../support/events.ts'
import { answer, completed } from '../../support/items.ts'
import { operatorOf } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

const database = testDatabase()
const operator = operatorOf(database)
let partner: Partner

beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'the-token' })
  partner = await makePartner(database.sql, { name: 'Acme Games' })
})

async function find(text: string | null) {
  return [...(await operator()`select * from ops.find(${text})`)]
}

describe('ops.find finds', () => {
  test('an order by each of its names, and its items', async () => {
    const { sql } = database
    const { body } = await place(sql, partner, { externalOrderId: 'their-1', idempotencyKey: 'key-of-1' })
    const item = body.items[0]?.id ?? ''
    await answer(sql, item, { ...completed(), supplierOrderId: 'at-first-1' })
    const order = { kind: 'order', order_code: body.code, account_id: String(partner.accountId), id: body.code }
    expect(await find(` ${body.code}\n`)).toMatchObject([
      { ...order, detail: expect.stringMatching(/^its code; completed, 10.50 RUB, placed 20/) },
    ])
    expect(await find(String(body.paymentCode))).toMatchObject([
      { ...order, detail: expect.stringContaining('payment code') },
    ])
    expect(await find('their-1')).toMatchObject([{ ...order, detail: expect.stringContaining('external id') }])
    expect(await find('key-of-1')).toMatchObject([{ ...order, detail: expect.stringContaining('idempotency key') }])
    const found = { kind: 'item', order_code: body.code, id: item }
    expect(await find(item.toUpperCase())).toMatchObject([
      { ...found, detail: 'its id; 1 × 100 credits, completed, at first' },
    ])
    expect(await find('at-first-1')).toMatchObject([
      { ...found, detail: expect.stringMatching(/^the supplier's order id; /) },
    ])
  })

  test('an event, a sample and an alert by its id', async () => {
    const event = await makeEvent(database.sql, partner)
    expect(await find(event)).toMatchObject([{ kind: 'event', id: event, detail: 'its id; order.completed, waiting' }])
    await leaseAttempt(database.sql, event)
    await database.sql`update supply.events set simulated = true, order_id = null where id = ${event}`
    expect(await find(event)).toMatchObject([{ kind: 'sample', id: event }])
    const [alert] = await database.sql`
      insert into supply.alerts (cause, hour, message) values ('a cause', now(), 'what happened') returning id`
    expect(await find(alert?.id)).toMatchObject([
      { kind: 'alert', id: alert?.id, detail: expect.stringMatching(/^what happened; 1 times/) },
    ])
  })

  test('an account or a product by its number or a part of its name, and a supplier by its code', async () => {
    const acme = { kind: 'account', id: String(partner.accountId), account_id: String(partner.accountId) }
    expect(await find('acme')).toMatchObject([{ ...acme, detail: 'Acme Games; supply, live, active' }])
    expect(await find(String(partner.accountId))).toContainEqual(expect.objectContaining(acme))
    expect(await find('GIFT')).toMatchObject([
      { kind: 'product', id: String(products.key), detail: 'Gift key; 20.00 RUB, in stock' },
    ])
    expect(await find(String(products.topUp))).toMatchObject([{ kind: 'product', id: '101' }])
    expect(await find('FIRST')).toMatchObject([{ kind: 'supplier', id: 'first' }])
  })

  test('a key by its visible part or whole, and shows no whole key', async () => {
    const key = { kind: 'api_key', id: String(partner.keyId), account_id: String(partner.accountId) }
    const last4 = partner.key.slice(-4)
    for (const text of [partner.key, last4, `svc_live_…${last4}`, `svc_live_...${last4}`, 'svc_live_']) {
      const rows = await find(text)
      expect(rows, text).toContainEqual({
        ...{ ...key, order_code: null },
        detail: `key ${partner.keyId}, svc_live_…${last4}, full, valid`,
      })
      expect(JSON.stringify(rows)).not.toContain(partner.key)
    }
  })
})

test('ops.find finds nothing for a text that fits nothing', async () => {
  expect(await find('nothing of that name')).toEqual([])
  expect(await find('%')).toEqual([])
})

test('the log shows who acknowledged an alert with which note', async () => {
  const [alert] = await database.sql`
    insert into supply.alerts (cause, hour, message) values ('another', now(), 'what happened') returning id`
  const sql = operator()
  await sql`select ops.acknowledge(${alert?.id}, ' seen ')`
  expect(await sql`select note, acknowledged_by from ops.alerts where alert_id = ${alert?.id}`).toEqual([
    { note: 'seen', acknowledged_by: operator.login },
  ])
  expect(await sql`select who, subject from ops.operator_log where action = 'acknowledge'`).toEqual([
    { who: operator.login, subject: `alert ${alert?.id}` },
  ])
})

test('an order code finds only that order, although another partner uses it as a reference', async () => {
  const { sql } = database
  const { body } = await place(sql, partner)
  const other = await makePartner(sql, { name: 'A rival' })
  await place(sql, other, { externalOrderId: body.code, idempotencyKey: body.code })
  expect(await find(body.code)).toMatchObject([{ kind: 'order', id: body.code }])
  const story = await operator()`select what from ops.order_story(${body.code})`
  expect(story.map(({ what }) => what)).toContain('charged')
})
