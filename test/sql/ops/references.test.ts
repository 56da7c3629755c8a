import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makeEvent } from '../../support/events.ts'
import { answer, completed } from '../../support/items.ts'
import { lastLogged, operatorOf, refusals } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

const database = testDatabase()
const operator = operatorOf(database)
const sql = () => operator()
const cardinalityViolation = '21000'
let partner: Partner
let code: string
let item: string

beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'the-token' })
  partner = await makePartner(database.sql, { name: 'Acme Games' })
  await makePartner(database.sql, { name: 'Acme Keys' })
  const { body } = await place(database.sql, partner, { externalOrderId: 'their-1' })
  code = body.code
  item = body.items[0]?.id ?? ''
})

const balance = async () =>
  Number((await database.sql`select balance from ops.accounts where account_id = ${partner.accountId}`)[0]?.balance)
const error = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (reason: unknown) => reason,
  )

describe('operators name an account', () => {
  test('by its number, as a number or a text, by its name in any case, and by one of its keys', async () => {
    const before = await balance()
    await sql().unsafe(`select ops.deposit(${partner.accountId}, 1, 'by number')`)
    await sql().unsafe(`select ops.deposit('${partner.accountId}', 1, 'by text')`)
    await sql()`select ops.deposit(' acme games ', 1, 'by name')`
    await sql()`select ops.adjust(${partner.key.slice(-4)}, -1, 'by key', 'a test')`
    await sql()`select ops.deposit('me game', 1, 'by part')`
    expect(await balance()).toBe(before + 3)
  })

  test('not by a part of several names: the error lists them, and nothing is booked', async () => {
    const before = await balance()
    const several = await error(sql()`select ops.deposit('acme', 1, 'several')`)
    expect(several).toMatchObject({ code: cardinalityViolation, message: "'acme' may be one of 2 accounts" })
    expect(several).toHaveProperty(
      'hint',
      expect.stringContaining(`${partner.accountId} (Acme Games; supply, live, active)`),
    )
    const none = await error(sql()`select ops.adjust('nobody', 1, 'none', 'a test')`)
    expect(none).toMatchObject({ ...refusals.unknown, message: "no account is named 'nobody'" })
    expect(await balance()).toBe(before)
  })
})

describe('operators name an item', () => {
  test('by its id, and by each reference of an order of one item', async () => {
    for (const reference of [item, code, 'their-1']) await sql()`select ops.poll_now(${reference})`
    await sql()`select ops.poll_now(item_id) from ops.order_items where order_code = ${code}`
    await answer(database.sql, item, completed())
    expect((await sql()`select ops.refund_item(${code}, 1, 'part', 'a test') as balance`)[0]?.balance).toBeDefined()
  })

  test('not by an order of several items: the error lists them', async () => {
    const items = [{ productId: products.topUp }, { productId: products.key }]
    const { body } = await place(database.sql, partner, { items })
    const several = await error(sql()`select ops.settle_item(${body.code}, 'failed')`)
    expect(several).toMatchObject({ code: cardinalityViolation, message: `'${body.code}' may be one of 2 items` })
    for (const { id } of body.items) expect(several).toHaveProperty('hint', expect.stringContaining(id))
    const wrong = await error(sql()`select ops.settle_item('nothing', 'failed')`)
    expect(wrong).toMatchObject({ ...refusals.unknown, message: "no item is named 'nothing'" })
  })
})

test('operators name an event by its id or by the code of its order', async () => {
  const event = await makeEvent(database.sql, partner)
  const [row] = await database.sql`select order_code from ops.events where event_id = ${event}`
  await sql()`select ops.deliver_now(${event})`
  await sql()`select ops.deliver_now(${row?.order_code})`
  expect(await error(sql()`select ops.redeliver(${row?.order_code})`)).toMatchObject(refusals.wrongState)
})

test('operators name a key by its last four characters, and no message shows a whole key', async () => {
  const [issued] = await sql()`select ops.issue_key(${partner.accountId}) as key`
  const key = String(issued?.key)
  await sql()`select ops.revoke_key(${key.slice(-4)})`
  const [row] = await sql()`select active from ops.api_keys where last4 = ${key.slice(-4)}`
  expect(row).toEqual({ active: false })
  const unknown = await error(sql()`select ops.revoke_key(${`${key}x`})`)
  expect(unknown).toMatchObject({ ...refusals.unknown, message: `no key is named '${key.slice(0, 8)}…'` })
  expect(JSON.stringify(unknown)).not.toContain(key)
})

test('a dead letter is sent to another address, with the same bytes, and only the host is logged', async () => {
  const event = await makeEvent(database.sql, partner)
  await database.sql`
    update supply.events set state = 'dead', dead_at = now(), dead_reason = 'http_4xx',
      next_attempt_at = null, lease_expires_at = null where id = ${event}`
  const read = async () =>
    (await database.sql`select state, callback_url, body, round from supply.events where id = ${event}`)[0]
  const before = await read()
  expect(await error(sql()`select ops.redeliver(${event}, 'ftp://shop.example')`)).toMatchObject(refusals.wrongArgument)
  expect(await read()).toEqual(before)
  await sql()`select ops.redeliver(${event}, 'https://shop.example/new?token=1')`
  expect(await read()).toEqual({
    ...before,
    state: 'ready',
    round: 2,
    callback_url: 'https://shop.example/new?token=1',
  })
  const [audited] = await sql()`select count(*)::int as faults from ops.audit where check_name = 'event_has_its_order'`
  expect(audited).toEqual({ faults: 0 })
  const logged = await lastLogged(sql())
  expect(logged).toMatchObject({ action: 'redeliver', detail: { dead_reason: 'http_4xx', host: 'shop.example' } })
  expect(JSON.stringify(logged)).not.toContain('token=1')
})
