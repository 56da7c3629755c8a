import { beforeEach, describe, expect, test } from 'vitest'
import { answered } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed } from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { audit, balanceOf } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const scene = itemTests({ name: 'Acme Games', isolated: true })
const { sql: superuser, operator: sql, partner, order, newEvent, attempt } = scene

beforeEach(() => makePartner(superuser(), { name: 'Acme Keys' }))

const balance = () => balanceOf(superuser(), partner())
const orderOf = (event: string) =>
  oneValue<string>(superuser()`select order_code from ops.events where event_id = ${event}`)

describe('operators name an account', () => {
  test('by its number, as a number or a text, by its name in any case, and by one of its keys', async () => {
    const { accountId, key } = partner()
    await sql().unsafe(`select ops.deposit(${accountId}, 1, 'by number')`)
    await sql().unsafe(`select ops.deposit('${accountId}', 1, 'by text')`)
    await sql()`select ops.deposit(' acme games ', 1, 'by name')`
    await sql()`select ops.adjust(${key.slice(-4)}, -1, 'by key', 'a test')`
    await sql()`select ops.deposit('me game', 1, 'by part')`
    expect(await balance()).toBe(1003)
  })

  test('also where a price list has a name, too', async () => {
    const list = await oneValue<number>(sql()`select ops.upsert_price_list('gold')`)
    const has = () => oneValue(superuser()`select list_id from supply.accounts where id = ${partner().accountId}`)
    await sql().unsafe(`select ops.set_account_list('acme games', 'gold')`)
    expect(await has()).toBe(list)
    await sql().unsafe(`select ops.set_account_list('Acme Games', null)`)
    expect(await has()).toBeNull()
    await sql().unsafe(`select ops.set_account_list('Acme Games', ${list})`)
    expect(await has()).toBe(list)
    await sql().unsafe(`select ops.set_account_list(${partner().accountId}, ${list})`)
    expect(await has()).toBe(list)
  })

  test('not by a part of several names: the error lists them, and nothing is booked', async () => {
    await expect(sql()`select ops.deposit('acme', 1, 'several')`).rejects.toMatchObject({
      ...{ ...refusals.several, message: "'acme' may be one of 2 accounts" },
      hint: expect.stringContaining(`${partner().accountId} (Acme Games; supply, live, active)`),
    })
    await expect(sql()`select ops.adjust('nobody', 1, 'none', 'a test')`).rejects.toMatchObject({
      ...{ ...refusals.unknown, message: "no account is named 'nobody'" },
    })
    expect(await balance()).toBe(1000)
  })
})

describe('operators name an item', () => {
  test('by its id, and by each reference of an order of one item', async () => {
    const { code, item } = await order({ externalOrderId: 'their-1' })
    for (const reference of [item, code, 'their-1']) await sql()`select ops.poll_now(${reference})`
    await sql()`select ops.poll_now(item_id) from ops.order_items where order_code = ${code}`
    await answer(superuser(), item, completed())
    expect(await oneValue(sql()`select ops.refund_item(${code}, 1, 'part', 'a test')`)).toBeDefined()
  })

  test('not by an order of several items: the error lists them', async () => {
    const { code, items } = await order({ items: [{ productId: products.topUp }, { productId: products.key }] })
    for (const id of items) {
      await expect(sql()`select ops.settle_item(${code}, 'failed', reason => 'a test')`).rejects.toMatchObject({
        ...{ ...refusals.several, message: `'${code}' may be one of 2 items`, hint: expect.stringContaining(id) },
      })
    }
    await expect(sql()`select ops.settle_item('nothing', 'failed', reason => 'a test')`).rejects.toMatchObject({
      ...{ ...refusals.unknown, message: "no item is named 'nothing'" },
    })
  })
})

test('operators name an event by its id or by the code of its order', async () => {
  const event = await newEvent()
  for (const reference of [event, await orderOf(event)]) await sql()`select ops.deliver_now(${reference})`
  await expect(sql()`select ops.redeliver(${await orderOf(event)})`).rejects.toMatchObject(refusals.wrongState)
  await attempt(event, answered(404))
  await sql()`select ops.redeliver(event => event_id) from ops.dead_letters`
  expect(await oneValue(superuser()`select round from ops.events where event_id = ${event}`)).toBe(2)
})

test('operators name a key by its last four characters, and no message shows a whole key', async () => {
  const { key } = partner()
  await sql()`select ops.revoke_key(${key.slice(-4)})`
  expect(await sql()`select active from ops.api_keys where last4 = ${key.slice(-4)}`).toEqual([{ active: false }])
  const refused = sql()`select ops.revoke_key(${`${key}x`})`
  await expect(refused).rejects.toMatchObject({
    ...{ ...refusals.unknown, message: `no key is named '${key.slice(0, 8)}…'` },
  })
  expect(JSON.stringify(await refused.catch((error: unknown) => error))).not.toContain(key)
})

test('a dead letter is sent to another address, with the same bytes, and only the host is logged', async () => {
  const event = await newEvent()
  await attempt(event, answered(404))
  await order({ callbackUrl: 'https://shop.example/hooks' })
  const read = async () =>
    (await superuser()`select state, callback_url, body, round from supply.events where id = ${event}`)[0]
  const before = await read()
  const redeliver = (url: string) => sql()`select ops.redeliver(${event}, ${url})`
  await expect(redeliver('ftp://shop.example')).rejects.toMatchObject(refusals.wrongArgument)
  expect(await read()).toEqual(before)
  const callback_url = 'https://shop.example/new?token=1'
  await redeliver(callback_url)
  expect(await read()).toEqual({ ...before, state: 'ready', round: 2, callback_url })
  expect(await audit(superuser())).toEqual([])
  const logged = await lastLogged(sql())
  expect(logged).toMatchObject({ action: 'redeliver', detail: { dead_reason: 'http_4xx', host: 'shop.example' } })
  expect(JSON.stringify(logged)).not.toContain('token=1')
})
