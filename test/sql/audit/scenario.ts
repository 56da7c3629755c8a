import type postgres from 'postgres'
import { collectAlerts } from '../../support/alerts.ts'
import { answered, finishAttempt, leaseAttempt, makeEvent } from '../../support/events.ts'
import { answer, completed, failed, processing } from '../../support/items.ts'
import { type OrderRequest, place } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { makeStock, sell } from '../../support/stock.ts'

/** Codes of orders, and ids of items and events, in each state that is well. Filled by `makeAllThatIsWell`. */
export const well = {
  ...{ account: 0, open: '', openItem: '', full: '', fullItem: '', none: '', noneItem: '', told: '' },
  ...{ keyItem: '', partial: '', restItem: '', stuckItem: '', heldItem: '', soldItem: '', alert: '' },
  ...{ waiting: '', ready: '', sending: '', delivered: '', dead: '' },
}

/** An account with an order, an item and an event in each state. */
export async function makeAllThatIsWell(sql: postgres.Sql): Promise<void> {
  const partner = await makePartner(sql, { balance: 5000 })
  well.account = partner.accountId
  await makeItems(sql, partner)
  await makeEvents(sql, partner)
  await collectAlerts(sql)
  const [alert] = await sql`select alert_id from ops.alerts where cause = 'item_held:first'`
  well.alert = alert?.alert_id
}

async function newOrder(sql: postgres.Sql, partner: Partner, request: OrderRequest = {}) {
  const { body } = await place(sql, partner, request)
  return { code: body.code, item: body.items[0]?.id ?? '' }
}

async function makeItems(sql: postgres.Sql, partner: Partner): Promise<void> {
  const topUp = () => newOrder(sql, partner)
  const keys = () => newOrder(sql, partner, { items: [{ productId: products.key, quantity: 3 }] })
  const [open, full, none, stuck] = [await topUp(), await topUp(), await topUp(), await topUp()]
  const [key, partial, held] = [await keys(), await keys(), await keys()]
  await answer(sql, open.item, processing())
  await answer(sql, full.item, completed())
  await answer(sql, none.item, failed())
  await answer(sql, key.item, completed({ codes: ['A', 'B', 'C'] }))
  await answer(sql, partial.item, failed({ codes: ['D'] }))
  await answer(sql, held.item, completed({ codes: ['E'] }))
  await answer(sql, stuck.item, processing())
  await sql`update supply.order_items set sent_at = now() - interval '2 days' where id = ${stuck.item}`
  await answer(sql, stuck.item, processing())
  Object.assign(well, { open: open.code, openItem: open.item, full: full.code, fullItem: full.item })
  Object.assign(well, { none: none.code, noneItem: none.item, keyItem: key.item, partial: partial.code })
  Object.assign(well, { stuckItem: stuck.item, heldItem: held.item })
  const [rest] = await sql`select item_id from ops.order_items where order_code = ${partial.code} and part = 1`
  well.restItem = rest?.item_id
  await makeStock(sql)
  await sql`select ops.load_codes('vault', 'v-1', ${['S1', 'S2', 'S3', 'S4']})`
  well.soldItem = (await keys()).item
  await sell(sql, [well.soldItem])
}

async function makeEvents(sql: postgres.Sql, partner: Partner): Promise<void> {
  for (const state of ['waiting', 'ready', 'sending', 'delivered', 'dead'] as const)
    well[state] = await makeEvent(sql, partner, 'https://hooks.example/x')
  for (const state of ['waiting', 'delivered', 'dead'] as const)
    await finishAttempt(sql, await leaseAttempt(sql, well[state]), answered(500))
  await leaseAttempt(sql, well.sending)
  await finishAttempt(sql, await leaseAttempt(sql, well.delivered), answered(204))
  await finishAttempt(sql, await leaseAttempt(sql, well.dead), answered(404))
  const [event] = await sql`select order_code from ops.events where event_id = ${well.waiting}`
  well.told = event?.order_code
}
