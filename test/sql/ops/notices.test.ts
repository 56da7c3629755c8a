import { beforeEach, expect, test } from 'vitest'
import { answered } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { lastLogged, timesLogged } from '../../support/operator.ts'
import { products } from '../../support/partner.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const { sql: superuser, operator: sql, partner, newItem, newEvent, attempt } = itemTests({ balance: 100 })
const { noticesOf } = sql

beforeEach(async () => {
  await superuser()`update supply.offer_rules set min_margin = null`
  await superuser()`update supply.suppliers set active = true, paused_at = null, paused_reason = null`
})

/** The notices of a statement, in which `$account` stands for the partner's. */
async function said(statement: string): Promise<string> {
  return (await noticesOf((on) => on.unsafe(statement.replaceAll('$account', String(partner().accountId))))).join('; ')
}

/** The same with `N` for the number and name of an account, key or product, and `TIME` for each time. */
const inGeneral = async (statement: string) =>
  (await said(statement))
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^\s:]*/g, 'TIME')
    .replaceAll(/(account|key|product) \d+ \([^)]*\)/g, '$1 N')

const atFirst = Object.keys(products).length

test.each([
  [
    `set_supplier_limits('first', 5, 150)`,
    'supplier first: calls at once no limit → 5, requests a minute no limit → 150.00',
    'supplier first has these limits already: nothing changed',
  ],
  [
    `set_supplier_paused('first', 'a test')`,
    'supplier first is paused: new items go to other suppliers, or wait',
    'supplier first is already paused for this reason: nothing changed',
  ],
  [
    `set_spending_limit($account, 500)`,
    'account N: no limit → 500.00 RUB a day',
    'account N: 500.00 RUB a day already: nothing changed',
  ],
  [
    `set_spending_limit($account, null, 'hour')`,
    'account N: no limit an hour already: nothing changed',
    'account N: no limit an hour already: nothing changed',
  ],
  [
    `release_events(dry_run => false)`,
    'no such event is held: nothing changed',
    'no such event is held: nothing changed',
  ],
  [
    `upsert_game('dragon', 'Dragon Realms')`,
    'game dragon is Dragon Realms',
    'game dragon has these values already: nothing changed',
  ],
  [
    `upsert_supplier('second', 'https://second.example/', 'token')`,
    'supplier second is created: protocol http, at https://second.example',
    'supplier second has these values already: nothing changed',
  ],
  [
    `upsert_offer('gift key', 'first', 'sku-${products.key}', currency => 'EUR')`,
    `supplier first offers product N as sku-${products.key}, priority 100, at a cost that is not known (changed: currency none → EUR); it is not used: no rate from EUR to RUB`,
    `supplier first offers product ${products.key} with these values already: nothing changed`,
  ],
  [
    `upsert_offer('gift key', 'first', 'gift', cost => 15, currency => 'RUB')`,
    `supplier first offers product N as gift, priority 100, at a cost of 15.00 RUB (changed: cost none → 15.00, currency EUR → RUB, sku sku-${products.key} → gift)`,
    `supplier first offers product ${products.key} with these values already: nothing changed`,
  ],
  [
    `set_account_active($account, false)`,
    'account N is closed: its keys get 401; its open orders go on, and their events are delivered',
    'account N is already closed: nothing changed',
  ],
  [
    `deposit($account, 50, 'invoice 2')`,
    'account N: balance 100.00 → 150.00 RUB',
    'account N: 50.00 RUB was booked under this reference on TIME: nothing changed',
  ],
  [
    `adjust($account, -30, 'reversal', 'booked twice')`,
    'account N: balance 100.00 → 70.00 RUB',
    'account N: -30.00 RUB was booked under this reference on TIME: nothing changed',
  ],
  [
    `revoke_key(key_id) from ops.api_keys where account_id = $account`,
    'key N of account N is revoked: its requests get 401',
    'key N was revoked on TIME: nothing changed',
  ],
  [
    `set_supplier_active('first', false)`,
    `supplier first is closed: ${atFirst} products lost their last usable offer, and are out of stock`,
    'supplier first is already closed: nothing changed',
  ],
  [
    'set_min_margin(0.8)',
    'the minimum margin of all products without one of their own: not set → 0.8; products that went out of stock, or came back: 5',
    'the minimum margin of all products without one of their own is already 0.8: nothing changed',
  ],
])('ops.%s says what it did; its repeat says that nothing changed, and is not logged', async (call, did, again) => {
  expect(await inGeneral(`select ops.${call}`)).toContain(did)
  const logged = await timesLogged(sql())
  expect(await inGeneral(`select ops.${call}`)).toBe(again)
  expect(await timesLogged(sql())).toBe(logged)
})

test.each([
  [
    `set_rate_limit('203.0.113.0/24', 2000)`,
    'each client address of 203.0.113.0/24 has 2000 requests a minute (before: the default budget)',
  ],
  [`set_low_balance_threshold($account, 50)`, 'account N: threshold 0.00 → 50.00 RUB; the balance is 100.00'],
  [`set_supplier_paused('first', 'b') from ops.set_supplier_paused('first', 'a')`, 'are still polled (before: a)'],
  [`deliver_all($account)`, 'of 0 waiting events, 0 are due now'],
  [`poll_all('first')`, 'supplier first: 0 open items are asked for, as its places allow'],
  [`remove_offer(${products.expensive}, 'first')`, '0 other offers remain'],
  [
    `upsert_product(null, 'dragon', 'Card', 5, 'RUB', 'keys')`,
    'delivery type keys; no supplier offers it yet: ops.upsert_offer',
  ],
  [`set_rate('NOK', 'RUB', 9, now() - interval '1 day')`, 'which is over: nothing is bought at it (before: no rate)'],
])('ops.%s says what it did', async (call, did) => {
  expect(await inGeneral(`select ops.${call}`)).toContain(did)
})

test.each([
  [`set_in_stock(${products.key}, false)`, { in_stock: false, before: true }],
  [`set_account_active($account, false)`, { active: false, before: true }],
  [`set_low_balance_threshold($account, 70)`, { threshold: 70, before: 0 }],
  [`set_supplier_limits('first', 7, 120)`, { max_calls: 7, before: { max_calls: 5, per_minute: 150 } }],
  [`set_supplier_paused('first', 'another')`, { reason: 'another' }],
  [`set_supplier_active('first', false)`, { active: false, before: true }],
  [`set_max_cost(${products.key}, 'first', 30)`, { max_cost: 30, before: null }],
  [`set_min_margin(0.2)`, { min_margin: 0.2, before: null }],
  [`set_rate_limit('203.0.113.0/24', 3000)`, { per_minute: 3000, before: 2000 }],
  [`set_rate_limit('203.0.113.0/24', null)`, { per_minute: null, before: 3000 }],
  [`upsert_game('dragon', 'Dragons')`, { name: 'Dragons', before: { name: 'Dragon Realms' } }],
  [`upsert_supplier('second', 'https://third.example', 'new')`, { before: { base_url: 'https://second.example' } }],
  [
    `set_key_origins(key_id, '{shop.example}') from ops.api_keys where account_id = $account`,
    { before: { allowed_origins: null } },
  ],
  [`deposit($account, 50, 'log')`, { amount: 50, balance: 150, before: 100 }],
  [`remove_offer(${products.outOfStock}, 'first')`, { before: { sku: `sku-${products.outOfStock}`, priority: 100 } }],
])('ops.%s logs the value before, and its notice has both', async (call, detail) => {
  await inGeneral(`select ops.upsert_supplier('second', 'https://second.example', 'token')`)
  const notice = await said(`select ops.${call}`)
  expect(await lastLogged(sql())).toMatchObject({ detail })
  expect(JSON.stringify(await lastLogged(sql()))).not.toContain('"token"')
  expect(notice.length).toBeGreaterThan(20)
  expect(notice).not.toContain('NULL')
})

test.each([
  [`set_rate('CHF', 'RUB', 100, null)`, `set_rate('CHF', 'RUB', 101, null)`, 'before: 100,'],
  [`set_rate('SEK', 'RUB', 10, null)`, `set_rate('SEK', 'RUB', 100, null)`, 'large_change: 1 SEK: 10 → 100 RUB'],
  [`set_rate_limit('198.51.100.0/24', 5)`, `set_rate_limit('198.51.100.0/24', 6)`, 'before: 5 requests'],
  [
    `upsert_supplier('twin', 'https://one.example', 't')`,
    `upsert_supplier('twin', 'https://two.example', 't')`,
    'changed: base_url https://one.example → https://two.example',
  ],
  [
    `upsert_supplier('chest', protocol => 'stock')`,
    `upsert_supplier('chest', 'https://two.example', 't', 'http')`,
    'supplier chest has the protocol stock',
  ],
  [
    `upsert_supplier('box', protocol => 'stock')`,
    `upsert_supplier('box', 'https://two.example', 't')`,
    'has no base_url',
  ],
  [`upsert_game('dragon', 'One')`, `upsert_game('dragon', 'Two')`, 'name One → Two'],
])('ops.%s and then ops.%s by another login at once: the second one starts from the first', async (one, two, said) => {
  const notices = await noticesOf((by) =>
    whileHeld(
      superuser(),
      (holder) => holder.unsafe(`select ops.${one}`),
      () => by.unsafe(`select ops.${two}`),
    ),
  ).catch((error: Error) => [error.message])
  expect(notices.join()).toContain(said)
})

test('set_supplier_active says how many products have a usable offer again', async () => {
  await said(`select ops.set_supplier_active('first', false)`)
  expect(await said(`select ops.set_supplier_active('first', true)`)).toMatch(
    /^supplier first is open: \d products have a usable offer again$/,
  )
})

test.each([
  `select ops.set_supplier_active(code => 'first', active => false, dry_run => true)`,
  `select ops.set_min_margin(0.9, dry_run => true)`,
  `select ops.set_min_margin(0.9, ${products.key}, dry_run => true)`,
])('a dry run says what the call would do, and changes nothing: %s', async (statement) => {
  const state = async () => [
    await sql()`select * from ops.products order by product_id`,
    await sql()`select * from ops.suppliers order by code`,
    await superuser()`select * from supply.offer_rules`,
    await timesLogged(sql()),
  ]
  const before = await state()
  const notice = await said(statement)
  expect(await state()).toEqual(before)
  expect(notice).toBe(
    `dry run, nothing changed; without dry_run: ${await said(statement.replace(', dry_run => true', ''))}`,
  )
  expect(await state()).not.toEqual(before)
})

test('poll_now says when the next call was planned, and settle_item how the item ended', async () => {
  const item = await newItem()
  await superuser()`update supply.order_items set next_check_at = now() + interval '1 hour' where id = ${item}`
  expect(await said(`select ops.poll_now('${item}')`)).toMatch(/^item .* \(.*\) is due now; it would have come at 20/)
  expect(await said(`select ops.poll_now('${item}')`)).toMatch(/is due now already$/)
  expect(await said(`select ops.settle_item('${item}', 'failed', reason => 'a test')`)).toMatch(
    /item \S+ is settled: 0 of 1 delivered, 10\.50 RUB refunded; order ord_\w+ is failed/,
  )
})

test('deliver_now says which attempt is due, and redeliver which round begins', async () => {
  const event = await newEvent()
  await attempt(event, answered(503))
  expect(await said(`select ops.deliver_now('${event}')`)).toMatch(
    /^event .*: attempt 2 of 9 is due now; it would have come at 20/,
  )
  await attempt(event, answered(404))
  expect(await said(`select ops.redeliver('${event}')`)).toMatch(
    /^event \S+ of order ord_\w+ begins round 2: attempt 1 of 9 is due now$/,
  )
})
