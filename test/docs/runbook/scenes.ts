import { randomBytes } from 'node:crypto'
import type postgres from 'postgres'
import { sendAlerts } from '../../support/alerts.ts'
import { answered, finishAttempt, leaseAttempt, makeEvent, unreachable } from '../../support/events.ts'
import { answer, completed, leaseCalls, processing, record, unknown } from '../../support/items.ts'
import { type OrderRequest, place } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { timePasses } from '../../support/sql/passing_time.ts'

/** What happened before the statements of a section, and between them; it returns what the page calls by a name. */
type Scene = {
  before?: (sql: postgres.Sql) => Promise<{ [shown: string]: string } | undefined>
  /** What happens after the statements of that number, from 0. */
  after?: { [step: number]: (sql: postgres.Sql) => Promise<void> }
}

const keys = (quantity: number) => [{ productId: products.key, quantity }]
const hook = 'https://shop.example/hooks'

/** A catalog, an earlier partner, and Acme Games, which is account 2. */
async function shop(sql: postgres.Sql, balance = 1000): Promise<Partner> {
  await makePartner(sql, { name: 'Demo' })
  return makePartner(sql, { name: 'Acme Games', balance })
}

async function order(sql: postgres.Sql, partner: Partner, request: OrderRequest): Promise<string> {
  const { body } = await place(sql, partner, request)
  return body.items[0]?.id ?? ''
}

async function eventsOf(sql: postgres.Sql, accountId: number): Promise<string[]> {
  const rows = await sql`select event_id from ops.events where account_id = ${accountId} order by created_at`
  return rows.map(({ event_id }) => event_id)
}

async function attempt(sql: postgres.Sql, event: string, result: object): Promise<void> {
  const leased = await leaseAttempt(sql, event)
  if (leased.secret === null) {
    await sql`select work.keep_webhook_secret(${leased.account_id}, ${randomBytes(32).toString('hex')})`
  }
  await finishAttempt(sql, leased, result)
}

/** Acme Games with a key item that was delivered. */
async function deliveredItem(sql: postgres.Sql): Promise<undefined> {
  const acme = await shop(sql)
  const item = await order(sql, acme, { externalOrderId: 'acme-1042', items: keys(2) })
  await answer(sql, item, completed({ codes: ['A', 'B'] }))
}

async function emptyShop(sql: postgres.Sql): Promise<undefined> {
  await shop(sql)
}

/** Events of Acme Games whose receiver refuses them for good. */
async function deadLetters(sql: postgres.Sql): Promise<undefined> {
  const acme = await shop(sql)
  for (let n = 0; n < 3; n += 1) await attempt(sql, await makeEvent(sql, acme, hook), answered(404))
  await timePasses(sql, '1 hour')
}

/** The scenes by the headings of the pages. Each begins with a database of its own. */
export const scenes: { [heading: string]: Scene } = {
  'A partner, from nothing to the first order': {
    before: async (sql) => {
      await makePartner(sql, { name: 'Demo' })
      return undefined
    },
    after: {
      0: async (sql) => {
        const acme = { accountId: 2, keyId: 2, key: '' }
        for (const event of await eventsOf(sql, 2)) await attempt(sql, event, answered(200))
        const request = { externalOrderId: 'acme-1', callbackUrl: hook }
        await answer(sql, await order(sql, acme, request), completed())
        for (const event of (await eventsOf(sql, 2)).slice(1)) await attempt(sql, event, answered(200))
      },
    },
  },
  'A key leaked': {
    before: async (sql) => {
      const acme = await shop(sql)
      await answer(sql, await order(sql, acme, { externalOrderId: 'acme-7' }), completed())
      await order(sql, acme, { externalOrderId: 'stolen-1', items: keys(3) })
      return { svc_live_TheKeyThatLeaked: acme.key }
    },
  },
  'An allowlist or an expiry for a key': { before: emptyShop },
  'A new price, or a product off sale': { before: emptyShop },
  'A new supplier': { before: emptyShop },
  'A webhook is late': {
    before: async (sql) => {
      const acme = await shop(sql)
      await attempt(sql, await makeEvent(sql, acme, hook), unreachable())
      return undefined
    },
  },
  'A webhook secret leaked': { before: emptyShop },
  'Closing a partner': { before: emptyShop },
  'A partner meets the rate limit': { before: emptyShop },
  'A low balance': { before: emptyShop },
  'A statement or an invoice': { before: deliveredItem },
  'A supplier is down': {
    before: async (sql) => {
      const acme = await shop(sql)
      await sql`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'token')`
      await sql`select ops.upsert_offer(${products.key}, 'second', 'sku', priority => 200)`
      for (const [externalOrderId, n] of [
        ['acme-20', 1],
        ['acme-21', 2],
      ] as const)
        await answer(sql, await order(sql, acme, { externalOrderId, items: keys(n) }), unknown())
      await sql`select work.check_suppliers(5)`
      await timePasses(sql, '20 minutes')
      await sql`update supply.supplier_states set unanswered_since = unanswered_since - interval '20 minutes'`
      await sql`select work.check_suppliers(5)`
      return undefined
    },
  },
  "A supplier's prices changed": {
    before: async (sql) => {
      await shop(sql)
      await sql`select ops.remove_offer(${products.key}, 'first')`
      await sql`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'token', 'kinguin')`
      await sql`select ops.set_rate('EUR', 'RUB', 90, now() + interval '5 hours')`
      await sql`select ops.upsert_offer(${products.topUp}, 'second', 'coins', 0.08, currency => 'EUR')`
      await sql`select ops.upsert_offer(${products.key}, 'second', 'gift', 0.15, currency => 'EUR')`
      await sql`select ops.set_min_margin(0.05, ${products.key})`
      const [sync] = await sql`select lease_token from work.begin_sync()`
      const list = sql.json([
        { sku: 'coins', cost: '0.08', currency: 'EUR', stock: 0 },
        { sku: 'gift', cost: '0.22', currency: 'EUR', stock: 40 },
      ])
      await sql`select work.record_list('second', ${sync?.lease_token}, ${list})`
      await sql`select work.finish_sync('second', ${sync?.lease_token}, null)`
      return undefined
    },
  },
  'A receiver is down': {
    before: async (sql) => {
      const acme = await shop(sql)
      for (let n = 0; n < 12; n += 1) {
        const event = await makeEvent(sql, acme, hook)
        await attempt(sql, event, n % 3 === 0 ? answered(503) : unreachable('connection refused'))
      }
      await timePasses(sql, '2 hours')
      await sql`update supply.events set next_attempt_at = now() + interval '1 hour'`
      return undefined
    },
  },
  'Dead letters': { before: deadLetters },
  'Stuck and held items': {
    before: async (sql) => {
      const acme = await shop(sql)
      const held = await order(sql, acme, { externalOrderId: 'acme-30', items: keys(3) })
      await answer(sql, held, completed({ codes: ['A', 'B'] }))
      const stuck = await order(sql, acme, { externalOrderId: 'acme-31' })
      await answer(sql, stuck, processing())
      await timePasses(sql, '25 hours')
      await answer(sql, stuck, processing())
      await sendAlerts(sql)
      return undefined
    },
  },
  'A mistaken deposit': {
    before: async (sql) => {
      await shop(sql)
      await sql`select ops.deposit(2, 50000, 'invoice 2026-118')`
      return undefined
    },
  },
  'A refund of what was delivered': { before: deliveredItem },
  'The database fails over': {
    before: async (sql) => {
      await deliveredItem(sql)
      await sql`select work.heartbeat(array['pool-1', 'pool-2', 'pool-3'], 0)`
      return undefined
    },
  },
  'How to restore': {
    before: async (sql) => {
      const acme = await shop(sql)
      for (let n = 0; n < 3; n += 1) await makeEvent(sql, acme, hook)
      for (const externalOrderId of ['acme-40', 'acme-41']) await order(sql, acme, { externalOrderId })
      return undefined
    },
    after: {
      0: async (sql) => {
        const items = await sql`select item_id from ops.order_items where to_ask`
        const calls = await leaseCalls(
          sql,
          items.map(({ item_id }) => item_id),
        )
        for (const call of calls) await record(sql, call, completed())
      },
    },
  },
  Upgrade: { before: deliveredItem },
}
