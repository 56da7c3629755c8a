import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answered, finishAttempt, leaseAttempt, makeEvent } from '../../support/events.ts'
import { lastLogged, noticesFor, operatorOf, timesLogged } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

const database = testDatabase()
const sql = operatorOf(database)
const noticesOf = noticesFor(database)

let partner: Partner
beforeEach(async () => {
  await database.sql`update supply.offer_rules set min_margin = null`
  await database.sql`update supply.products set min_margin = null`
  await database.sql`update supply.suppliers set active = true`
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(database.sql, { name: 'Acme Games', balance: 100 })
})

/** Runs a statement twice: the second time it must log nothing. Returns the notices of each. */
async function twice(statement: (id: number) => string): Promise<[string, string]> {
  const run = async () =>
    (await noticesOf((operator) => operator.unsafe(statement(partner.accountId)))).join('; ')
  const first = await run()
  const logged = await timesLogged(sql())
  const second = await run()
  expect(await timesLogged(sql())).toBe(logged)
  return [first, second]
}

describe('an operator reads', () => {
  test('what became due, paused, limited or settled, and what did not change', async () => {
    const { body } = await place(database.sql, partner)
    const item = body.items[0]?.id
    expect(await twice(() => `select ops.set_supplier_limits('first', 5, 150)`)).toEqual([
      'supplier first: calls at once no limit → 5, requests a minute no limit → 150.00',
      'supplier first had these limits before: nothing changed',
    ])
    expect(await twice(() => `select ops.set_supplier_paused('first', 'a test')`)).toEqual([
      expect.stringMatching(/^supplier first is paused: new items go to other suppliers, or wait/),
      'supplier first was paused for this reason before: nothing changed',
    ])
    expect(await twice(() => `select ops.set_supplier_paused('first', null)`)).toEqual([
      'supplier first gets new items again; 0 that waited for it are due now',
      'supplier first was not paused before: nothing changed',
    ])
    await database.sql`select ops.set_supplier_limits('first', null, null)`
    expect(await noticesOf((operator) => operator`select ops.poll_all('first')`)).toEqual([
      expect.stringMatching(/^supplier first: the calls about \d+ open items are due now$/),
    ])
    expect(await noticesOf((operator) => operator`select ops.settle_item(${item ?? ''}, 'failed')`)).toEqual([
      expect.stringContaining(
        `item ${item} is settled: 0 of 1 delivered, 10.50 RUB refunded; order ${body.code} is failed`,
      ),
    ])
    expect(await noticesOf((operator) => operator`select ops.deliver_all(${partner.accountId})`)).toEqual([
      `account ${partner.accountId}: the next attempts of 0 events are due now`,
    ])
    expect(
      await noticesOf((operator) => operator`select ops.set_rate_limit('203.0.113.0/24', 2000)`),
    ).toEqual(['each client address of 203.0.113.0/24 has 2000 requests a minute'])
    expect(
      await noticesOf((operator) => operator`select ops.set_low_balance_threshold(${partner.accountId}, 50)`),
    ).toEqual([
      `account ${partner.accountId} (Acme Games): threshold 0.00 → 50.00 RUB; the balance is 100.00`,
    ])
  })

  test.each([
    [
      `select ops.upsert_game('dragon', 'Dragon Realms')`,
      'game dragon is Dragon Realms',
      'game dragon was like this before: nothing changed',
    ],
    [
      `select ops.upsert_supplier('second', 'https://second.example/', 'token')`,
      'supplier second is made: protocol http, at https://second.example',
      'supplier second was like this before: nothing changed',
    ],
    [
      `select ops.upsert_offer('gift key', 'first', 'gift', cost => 15)`,
      `supplier first offers product ${products.key} (Gift key) as gift, priority 100, at a cost of 15 RUB`,
      `supplier first offered product ${products.key} like this before: nothing changed`,
    ],
  ])('what a change did, and that its repeat changed nothing: %s', async (statement, did, again) => {
    expect(await twice(() => statement)).toEqual([did, again])
  })

  test('that an account is closed, and that it was closed before', async () => {
    const [first, second] = await twice((id) => `select ops.set_account_active(${id}, false)`)
    expect(first).toBe(
      `account ${partner.accountId} (Acme Games) is closed: its keys get 401; its open orders go on, and their events are delivered`,
    )
    expect(second).toBe(`account ${partner.accountId} (Acme Games) was closed before: nothing changed`)
  })

  test('the balance after a deposit, and when the same reference was booked', async () => {
    const [first, second] = await twice((id) => `select ops.deposit(${id}, 50, 'invoice 2')`)
    expect(first).toBe(`account ${partner.accountId} (Acme Games): balance 100.00 → 150.00 RUB`)
    expect(second).toMatch(/: 50\.00 RUB was booked under this reference on 20\S+ \S+: nothing changed$/)
  })

  test('the balance after an adjustment, and when the same reference was booked', async () => {
    const [first, second] = await twice((id) => `select ops.adjust(${id}, -30, 'storno', 'booked twice')`)
    expect(first).toMatch(/balance 100\.00 → 70\.00 RUB$/)
    expect(second).toMatch(/: -30\.00 RUB was booked under this reference on .*: nothing changed$/)
  })

  test('whose key is revoked, and when it was revoked before', async () => {
    const [first, second] = await twice(
      (id) => `
      select ops.revoke_key(key_id) from ops.api_keys where account_id = ${id}`,
    )
    expect(first).toMatch(
      /^key \d+ \(….{4}\) of account \d+ \(Acme Games\) is revoked: its requests get 401$/,
    )
    expect(second).toMatch(/^key \d+ \(….{4}\) was revoked on 20.*: nothing changed$/)
  })

  test('how many products a closed supplier leaves without an offer, and gets back', async () => {
    const [first, second] = await twice(() => `select ops.set_supplier_active('first', false)`)
    const [offers] = await sql()`select count(*)::int from ops.offers where supplier = 'first'`
    expect(first).toBe(
      `supplier first is closed: ${offers?.count} products lost their last usable offer, and are out of stock`,
    )
    expect(second).toBe('supplier first was closed before: nothing changed')
    expect(await noticesOf((operator) => operator`select ops.set_supplier_active('first', true)`)).toEqual([
      `supplier first is open: ${offers?.count} products have a usable offer again`,
    ])
  })

  test.each([
    `select ops.set_supplier_active(code => 'first', active => false, dry_run => true)`,
    `select ops.set_min_margin(0.9, dry_run => true)`,
    `select ops.set_min_margin(0.9, ${products.key}, dry_run => true)`,
  ])('what a change would do, while nothing changes: %s', async (statement) => {
    const state = async () => [
      await sql()`select * from ops.products order by product_id`,
      await sql()`select * from ops.suppliers order by code`,
      await database.sql`select * from supply.offer_rules`,
      await timesLogged(sql()),
    ]
    const before = await state()
    const [notice] = await noticesOf((operator) => operator.unsafe(statement))
    expect(notice).toMatch(/^dry run, nothing changed; without dry_run: /)
    expect(await state()).toEqual(before)
    const [done] = await noticesOf((operator) => operator.unsafe(statement.replace(', dry_run => true', '')))
    expect(notice).toBe(`dry run, nothing changed; without dry_run: ${done}`)
    expect(await state()).not.toEqual(before)
  })

  test('what the least margin does to products, and that it was like this before', async () => {
    const [first, second] = await twice(() => 'select ops.set_min_margin(0.8)')
    const [offered] = await sql()`select count(distinct product_id)::int from ops.offers`
    expect(first).toBe(
      `the least margin of all products without one of their own: not set → 0.8; products that went out of stock, or came back: ${offered?.count}`,
    )
    expect(second).toBe(
      'the least margin of all products without one of their own was 0.8 before: nothing changed',
    )
  })

  test('how many offers of a product remain', async () => {
    expect(
      await noticesOf((operator) => operator`select ops.remove_offer(${products.key}, 'first')`),
    ).toEqual([`supplier first no longer offers product ${products.key}; 0 other offers remain`])
    expect(await lastLogged(sql())).toMatchObject({ action: 'remove_offer' })
  })

  test('when an item’s next call would have come', async () => {
    await place(database.sql, partner)
    const [item] = await sql()`select item_id from ops.order_items order by item_id desc limit 1`
    await database.sql`update supply.order_items set next_check_at = now() + interval '1 hour' where id = ${item?.item_id}`
    const poll = () => noticesOf((operator) => operator`select ops.poll_now(${item?.item_id})`)
    expect(await poll()).toEqual([
      expect.stringMatching(/^item .* \(.*\) is due now; it would have come at 20/),
    ])
    expect(await poll()).toEqual([expect.stringMatching(/is due now already$/)])
  })

  test('which attempt of an event is due, and which round begins', async () => {
    const event = await makeEvent(database.sql, partner)
    await finishAttempt(database.sql, await leaseAttempt(database.sql, event), answered(503))
    expect(await noticesOf((operator) => operator`select ops.deliver_now(${event})`)).toEqual([
      expect.stringMatching(/^event .*: attempt 2 of 9 is due now; it would have come at 20/),
    ])
    await finishAttempt(database.sql, await leaseAttempt(database.sql, event), answered(404))
    expect(await noticesOf((operator) => operator`select ops.redeliver(${event})`)).toEqual([
      `event ${event} begins round 2: attempt 1 of 9 is due now`,
    ])
  })
})
