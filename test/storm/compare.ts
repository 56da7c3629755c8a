import { verify } from '../../src/messages/sign.ts'
import { products } from '../support/partner.ts'
import type { Client } from './client.ts'
import {
  type Account,
  hundredths,
  type Intent,
  movingProduct,
  prices,
  repeatedProduct,
  type WantedItem,
} from './model.ts'
import type { Operators } from './operators.ts'
import { codesOf, planOf, settlementOf, type Truth } from './plans.ts'
import type { Received } from './receivers.ts'
import type { Report } from './report.ts'
import type { Suppliers } from './suppliers.ts'

type Json = ReturnType<typeof JSON.parse>

export type Evidence = {
  client: Client
  operators: Pick<Operators, 'rounds' | 'webhookSecret' | 'movingPrices'>
  suppliers: Pick<Suppliers, 'entry'> & { repeated: Pick<Suppliers['repeated'], 'madeOf'> }
  /** What the receivers got, by the order's code. */
  events: Map<string, Received[]>
  report: Report
}

/** Compares what an account's partner and the suppliers saw with what is read over HTTP. Returns its items' ids. */
export async function compareAccount(account: Account, evidence: Evidence): Promise<string[]> {
  const { report, operators } = evidence
  const orders = await readOrders(account, evidence.client)
  const wanted = new Map(account.intents.map((intent) => [intent.body.externalOrderId, intent]))
  const placed = new Map<string, Json>()
  for (const order of orders) {
    const intent = wanted.get(order.externalOrderId)
    if (intent === undefined) report.difference('an order that nobody placed', order.code)
    else if (placed.has(order.externalOrderId)) report.difference('an order is there twice', order.code)
    else compareOrder(order, intent, evidence)
    placed.set(order.externalOrderId, order)
  }
  for (const intent of account.intents) comparePlacement(intent, placed.get(intent.body.externalOrderId), report)
  await compareStatement(account, orders, evidence)
  const secret = orders.some(({ callbackUrl }) => callbackUrl) ? await operators.webhookSecret(account.accountId) : ''
  for (const order of orders) compareEvents(order, evidence, secret ?? '')
  return orders.flatMap(({ items }) => items.map(({ id }: Json) => id))
}

function comparePlacement({ codes, body }: Intent, order: Json, report: Report): void {
  const subject = body.externalOrderId
  if (codes.size > 0 && order === undefined) report.difference('an acknowledged order is not there', subject)
  if (codes.size > 0 && order !== undefined && !codes.has(order.code)) {
    report.difference('an order has another code than was told', subject)
  }
  if (codes.size === 0 && order !== undefined) report.difference('a refused order is there', subject)
}

function compareOrder(order: Json, intent: Intent, { report, suppliers, operators }: Evidence): void {
  const subject = `${order.code} (${order.externalOrderId})`
  const differ = (what: string) => report.difference(what, subject)
  if (hundredths(order.totalAmount) !== intent.total) differ('an order costs something else')
  if ((order.callbackUrl ?? undefined) !== intent.body.callbackUrl) differ('an order has another callbackUrl')
  const items: Json[] = [...order.items]
  let refunded = 0
  const truths = intent.body.items.map((want) => {
    const parts = [items.shift()]
    const truth = truthOf(want, parts[0]?.id ?? '')
    if (truth === 'part') parts.push(items.shift())
    comparePrices(want, parts, operators.movingPrices, differ)
    refunded += compareItem(want, truth, parts, differ)
    compareSupplier(want, parts[0], suppliers, differ)
    return truth
  })
  if (items.length > 0) differ('an order has more items than were ordered')
  const outcome = truths.every((truth) => truth === 'all')
    ? 'full'
    : truths.every((truth) => truth === 'none')
      ? 'none'
      : 'partial'
  if (order.outcome !== outcome) differ(`the outcome should be ${outcome}, but is ${order.outcome}`)
  if (order.status !== (outcome === 'full' ? 'completed' : 'failed')) differ(`the status is ${order.status}`)
  if (hundredths(order.refundedAmount) !== refunded) {
    differ(`${order.refundedAmount} was refunded, not ${refunded / 100}`)
  }
}

/** What must have become of an item: what its supplier did, or the operator decided. */
function truthOf(want: WantedItem, reference: string): Truth {
  const plan = planOf(want.deliveryData.plan)
  return plan.held ? settlementOf(reference) : plan.truth
}

function comparePrices(
  want: WantedItem,
  parts: Json[],
  movingPrices: ReadonlySet<number>,
  differ: (what: string) => void,
) {
  for (const part of parts) {
    const price = hundredths(part?.price ?? 0)
    const isRight = want.productId === movingProduct ? movingPrices.has(price) : prices[want.productId] === price
    if (!isRight) differ(`an item's price is ${price / 100}`)
  }
}

/** Returns what must have been refunded for it, in hundredths. */
function compareItem(want: WantedItem, truth: Truth, parts: Json[], differ: (what: string) => void): number {
  const [item, rest] = parts
  const delivered = { all: want.quantity, part: want.quantity - 1, none: 0 }[truth]
  if (item?.productId !== want.productId) differ('an item is of another product')
  if (item?.status !== (truth === 'none' ? 'failed' : 'completed')) {
    differ(`an item of the plan ${want.deliveryData.plan} is ${item?.status}`)
  }
  if (item?.amount !== (delivered || want.quantity)) differ(`an item's amount is ${item?.amount}`)
  const codes = want.productId === products.key && delivered > 0 ? codesOf(item?.id ?? '', delivered) : undefined
  const shown = item?.cdKeys?.map(({ code }: { code: string }) => code)
  if (JSON.stringify(shown) !== JSON.stringify(codes)) differ(`an item's codes are ${shown}, not ${codes}`)
  if (truth === 'part' && (rest?.status !== 'failed' || rest?.amount !== 1 || rest?.price !== item?.price)) {
    differ('the rest of an item is wrong')
  }
  const failed = truth === 'none' ? item : truth === 'part' ? rest : undefined
  const refund = hundredths(failed === undefined ? 0 : failed.price * failed.amount)
  const refunded = hundredths((item?.refundedAmount ?? 0) + (rest?.refundedAmount ?? 0))
  if (refunded !== refund) differ(`an item was refunded ${refunded / 100}, not ${refund / 100}`)
  return refund
}

function compareSupplier(
  want: WantedItem,
  item: Json,
  suppliers: Evidence['suppliers'],
  differ: (what: string) => void,
): void {
  const { plan } = want.deliveryData
  if (want.productId === repeatedProduct) {
    const made = suppliers.repeated.madeOf(item?.id)
    if (made !== (plan === 'sold out' ? 0 : 1)) differ(`${made} transactions were made of an item of the plan ${plan}`)
    return
  }
  const first = suppliers.entry('first', item?.id)
  const second = suppliers.entry('second', item?.id)
  const goesOn = plan.startsWith('out of stock') || plan === 'sold out'
  // Where the first did not answer, an item that it never received may have gone to the second at once.
  const isPassedOver = first === undefined && second?.taken === true
  if (!isPassedOver && !first?.taken) differ('the supplier never got an item')
  if (!isPassedOver && (second?.taken ?? false) !== goesOn) differ(`the plan ${plan} ended at the wrong supplier`)
  for (const entry of [first, second])
    if (entry !== undefined && entry.quantity !== want.quantity) differ('the supplier was sent another quantity')
}

async function compareStatement(account: Account, orders: Json[], { client, report }: Evidence): Promise<void> {
  const differ = (what: string) => report.difference(what, `account ${account.accountId}`)
  if (account.sort === 'storefront') return
  const rows = (await readPages(account, client, '/b2b/balance/transactions?limit=100', 'transactions')).reverse()
  let balance = 0
  rows.forEach((row, index) => {
    balance += hundredths(row.amount)
    if (row.seq !== index + 1) differ(`the statement has a gap at ${row.seq}`)
    if (hundredths(row.balanceAfter) !== balance) differ(`the statement does not add up at ${row.seq}`)
    if (balance < 0) differ(`the balance was below zero at ${row.seq}`)
  })
  const amounts = (types: string[]) =>
    rows.filter(({ type }) => types.includes(type)).map(({ amount }) => hundredths(amount))
  const sorted = (list: Iterable<number>) => [...list].sort((one, other) => one - other).join()
  if (sorted(amounts(['deposit', 'adjustment'])) !== sorted(account.entries.values())) {
    differ('deposits and adjustments are not those that were booked')
  }
  const present = await readUntil(account, client, '/b2b/balance')
  if (hundredths(present.balance) !== balance) differ(`the balance is ${present.balance}, not ${balance / 100}`)
  if (present.inOrders !== 0) differ(`${present.inOrders} is in orders, though all are final`)
  compareCharges(rows, orders, differ)
}

function compareCharges(rows: Json[], orders: Json[], differ: (what: string) => void): void {
  const grouped = (type: string) =>
    Map.groupBy(
      rows.filter((row) => row.type === type),
      ({ orderCode }) => orderCode as string,
    )
  const charges = grouped('order_charge')
  const refunds = grouped('order_refund')
  for (const { code, totalAmount, refundedAmount, items } of orders) {
    const charge = charges.get(code) ?? []
    if (charge.length !== 1 || charge[0]?.amount !== -totalAmount) differ(`order ${code} was not charged once`)
    const back = (refunds.get(code) ?? []).map(({ amount }) => hundredths(amount))
    const failed = items.filter(({ status }: Json) => status === 'failed')
    const sum = back.reduce((one, other) => one + other, 0)
    if (back.length !== failed.length || sum !== hundredths(refundedAmount)) {
      differ(`order ${code} has ${failed.length} failed items, but ${back.length} refunds of ${sum / 100}`)
    }
    charges.delete(code)
    refunds.delete(code)
  }
  if (charges.size + refunds.size > 0) differ(`money moved for no order: ${[...charges.keys(), ...refunds.keys()]}`)
}

function compareEvents(order: Json, { events, report, operators }: Evidence, secret: string): void {
  const differ = (what: string) => report.difference(what, order.code)
  const received = events.get(order.code) ?? []
  const isTold = order.callbackUrl !== null && order.outcome !== 'partial'
  if (received.length !== (isTold ? 1 : 0)) differ(`${received.length} events came, of outcome ${order.outcome}`)
  for (const event of received) {
    const { event_id: id, event_type: type, data } = JSON.parse(event.body)
    const most = 9 * (1 + operators.rounds(event.eventId))
    if (event.deliveries.length > most) differ(`an event was sent ${event.deliveries.length} times`)
    if (event.taken === 0) differ('an event was never taken')
    if (id !== event.eventId || type !== `order.${order.status}`) differ('an event is not what its headers say')
    if (data.externalOrderId !== order.externalOrderId || data.totalAmount !== order.totalAmount) {
      differ('an event tells of another order')
    }
    if (!order.callbackUrl?.endsWith(event.path)) differ('an event went to another address')
    const told = data.items?.map((item: Json) => [item.amount, item.price, item.cdKeys])
    const read = order.items.map((item: Json) => [item.amount, item.price, item.cdKeys])
    if (type === 'order.completed' && JSON.stringify(told) !== JSON.stringify(read)) differ('an event has other items')
    if (type === 'order.failed' && data.error !== 'ORDER_FAILED') differ('an event has another error')
    for (const { at, timestamp, signature, type: header } of event.deliveries) {
      const signed = { secret, timestamp, signature, body: event.body, now: new Date(at) }
      if (!verify(signed)) differ('a delivery is not signed as it should be')
      if (header !== type) differ('a delivery has another type in its header')
    }
  }
}

async function readOrders(account: Account, client: Client): Promise<Json[]> {
  if (account.sort === 'storefront') return []
  const listed = await readPages(account, client, '/b2b/orders?limit=100', 'orders')
  const orders: Json[] = []
  for (let from = 0; from < listed.length; from += 16) {
    const some = listed.slice(from, from + 16)
    orders.push(...(await Promise.all(some.map(({ code }) => readUntil(account, client, `/b2b/orders/${code}`)))))
  }
  return orders
}

async function readPages(account: Account, client: Client, path: string, name: string): Promise<Json[]> {
  const rows: Json[] = []
  for (let cursor = ''; ; ) {
    const page = await readUntil(account, client, `${path}${cursor}`)
    rows.push(...page[name])
    if (!page.pagination.hasMore) return rows
    cursor = `&cursor=${encodeURIComponent(page.pagination.nextCursor)}`
  }
}

async function readUntil(account: Account, client: Client, path: string): Promise<Json> {
  const call = { key: account.key, headers: { 'x-forwarded-for': account.address } }
  for (let attempt = 1; ; attempt += 1) {
    const { status, json } = await client.send('GET', path, call)
    if (status === 200) return json.data
    if (attempt === 20) throw new Error(`${path} answers ${status}`)
  }
}
