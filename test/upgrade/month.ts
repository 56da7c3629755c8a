import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { finishAttempt, leaseAttempt, makeEvent, unreachable } from '../support/events.ts'
import { answer, hold, processing, unknown } from '../support/items.ts'
import { place } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { startScriptedReceiver } from '../support/servers/scripted_receiver.ts'
import { type SupplierAnswer, startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { startApi } from '../support/service.ts'
import { timePasses } from '../support/sql/passing_time.ts'
import { makeStock } from '../support/stock.ts'
import { startTestWorker } from '../support/whole_service.ts'
import { dataKeys, type Known } from './dump.ts'

const topUp = { productId: products.topUp, deliveryData: { gameUserId: '12345' } }
const keys = (quantity: number) => ({ productId: products.key, quantity })
const nobody = 'http://127.0.0.1:9/hook'

async function until<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 50) {
    const found = await read()
    if (found) return found
    await sleep(50)
  }
  throw new Error(`${what} did not come`)
}

/** Fills a migrated database with what a month of business leaves: the service ran, and was stopped amid its work. */
export async function liveThroughAMonth(sql: postgres.Sql, databaseUrl: string): Promise<Known> {
  const known = await servedMonth(sql, databaseUrl)
  await timePasses(sql, '31 days')
  const [{ month = '' } = {}] = await sql`select to_char(now() - interval '31 days', 'YYYY-MM') as month`
  await sql`select ops.close_month(${month})`
  await openWork(sql, known.partner)
  const faults = await sql`select * from ops.audit_all()`
  if (faults.length > 0) throw new Error(`the audit finds ${JSON.stringify(faults)}`)
  return { ...known, closedMonth: month }
}

async function servedMonth(sql: postgres.Sql, databaseUrl: string): Promise<Omit<Known, 'closedMonth'>> {
  const [supplier, receiver] = await Promise.all([startScriptedSupplier(), startScriptedReceiver()])
  if (dataKeys === undefined) throw new Error('no data keys')
  const config = { dataKeys }
  const api = await startApi(databaseUrl, { config })
  const worker = await startTestWorker(databaseUrl, { publicUrl: api.url, ...config })
  const partner = await trade(sql, supplier)
  let orders = 0

  /** Places an order whose supplier answers so, waits for its end, and returns it. */
  async function ended(items: object[], said: SupplierAnswer, more: object = {}) {
    supplier.setAnswer(() => said)
    orders += 1
    const body = { externalOrderId: `month-${orders}`, items, callbackUrl: receiver.url, ...more }
    const placed = await api.post('/b2b/orders', { key: partner.key, body })
    if (placed.status !== 201) throw new Error(placed.text)
    const path = `/b2b/orders/${placed.json.data.code}`
    return until(`the end of order ${orders}`, async () => {
      const { json } = await api.get(path, { key: partner.key })
      return json.data.status !== 'processing' && json.data
    })
  }
  const codes = (...texts: string[]): SupplierAnswer => ({ status: 200, json: { status: 'completed', codes: texts } })
  const done: SupplierAnswer = { status: 200, json: { status: 'completed', supplierOrderId: 'theirs-1' } }
  const event = async (code: string, state: string) => {
    const [row] = await sql`select event_id from ops.events where order_code = ${code} and state = ${state}`
    return row?.event_id as string | undefined
  }
  const delivered = ({ code }: { code: string }) => until(`the webhook of ${code}`, () => event(code, 'delivered'))

  const plain = await ended([topUp], done)
  await delivered(plain)
  const sealed = { codes: ['MONTH-1', 'MONTH-2'] }
  const withCodes = await ended([keys(2)], codes(...sealed.codes))
  const parts = {
    code: 'MONTH-3',
    pin: '1234',
    serial: 'S-1',
    url: 'https://redeem.example/3',
    expiresAt: '2099-01-01',
  }
  await ended([keys(1)], { status: 200, json: { status: 'completed', codes: [parts] } })
  const refused = { status: 422, json: { errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден.' } }
  await delivered(await ended([topUp, { ...topUp, productId: products.expensive }], refused))
  await ended([keys(3)], { status: 200, json: { status: 'failed', codes: ['MONTH-4'], errorCode: 'OUT_OF_STOCK' } })
  await ended([keys(10)], codes(...Array.from({ length: 10 }, (_, n) => `TIER-${n}`)))

  // A dead letter, and one that the partner redelivered.
  receiver.answer(() => ({ status: 410 }))
  const dead = [await ended([topUp], done), await ended([topUp], done)]
  const deadEvents = await Promise.all(
    dead.map(({ code }) => until(`the dead letter of ${code}`, () => event(code, 'dead'))),
  )
  receiver.answer(() => ({ status: 200 }))
  await api.post(`/b2b/events/${deadEvents[1]}/redeliver`, { key: partner.key })
  await delivered(dead[1])

  // Codes of our own, which the worker seals first, are sold before the supplier is asked.
  await makeStock(sql)
  await sql`select ops.load_codes('vault', 'v-1', array['OWN-1', 'OWN-2', 'OWN-3', 'OWN-4'], batch => 'autumn')`
  await until('the sealed stock', async () => {
    const [row] = await sql`select free from ops.stock where supplier = 'vault'`
    return Number(row?.free) === 4
  })
  await ended([keys(1)], codes('never'))

  // An item that the supplier never got is cancelled; money goes back by hand.
  supplier.setAnswer(() => 'reset')
  await sql`select ops.set_supplier_paused('first', 'maintenance')`
  const cancelled = await api.post('/b2b/orders', {
    key: partner.key,
    body: { externalOrderId: 'cancelled', items: [topUp] },
  })
  await api.post(`/b2b/orders/${cancelled.json.data.code}/cancel`, { key: partner.key })
  await sql`select ops.set_supplier_paused('first', null)`
  await sql`select ops.refund_item(${plain.items[0].id}::uuid, 4, 'ticket 1', 'half of it')`
  await sql`select ops.adjust(${partner.accountId}, -1, 'ticket 2', 'a correction', order_code => ${plain.code})`

  // The second deposit waits for another person.
  await sql`select ops.set_approval(10000, 'RUB')`
  await sql`select ops.deposit(${partner.accountId}, 20000, 'invoice 2')`

  await sql`select * from ops.begin_recovery('a drill')`
  await sql`select ops.release_events(dry_run => false)`
  await sql`select ops.end_recovery()`
  await worker.stop()
  await api.close()
  await Promise.all([supplier.close(), receiver.close()])
  return {
    partner,
    sealed: { code: withCodes.code, ...sealed },
    refundable: withCodes.items[0].id,
    deadEvent: deadEvents[0] ?? '',
  }
}

/** The catalog with prices, texts and costs, a partner with limits, and what finance decides. */
async function trade(sql: postgres.Sql, supplier: { url: string; token: string }): Promise<Partner> {
  await makeCatalog(sql, supplier)
  await sql`select ops.set_rate('USD', 'RUB', 90, now() + interval '10 years')`
  await sql`select ops.upsert_offer(${products.topUp}, 'first', 'sku-101', 7)`
  await sql`select ops.set_product_text(${products.key}, 'ru', 'Ключ', 'Введите его.')`
  await sql`select ops.set_product_details(${products.key}, 'https://img.example/1.png', 'Steam', array['DE', 'FR'])`
  await sql`select ops.upsert_price_list('shops', 0.05)`
  await sql`insert into ops.import_prices (list, product_id, price, min_quantity)
    values ('shops', ${String(products.key)}, '19.00', null), ('shops', ${String(products.key)}, '18.50', '10')`
  await sql`select ops.apply_import()`
  const partner = await makePartner(sql, { name: 'Acme Games', balance: 100_000 })
  await sql`select ops.set_account_list(${partner.accountId}, 'shops')`
  await sql`select ops.set_spending_limit(${partner.accountId}, 50000)`
  const tester = await makePartner(sql, { name: 'Test shop', mode: 'test', balance: 0 })
  await sql`select ops.deposit(${tester.accountId}, 10, 'typed twice')`
  await sql`select ops.correct_deposit(${tester.accountId}, 'typed twice', 5, 'a slip')`
  await sql`insert into ops.import_supplier_statement (supplier, supplier_order_id, amount, currency)
    values ('first', 'theirs-1', '7.00', 'RUB')`
  return partner
}

/** What was under way when the service stopped: at the supplier, unknown, held, not sent yet, and a webhook between two rungs. */
async function openWork(sql: postgres.Sql, partner: Partner): Promise<void> {
  const items: string[] = []
  for (const externalOrderId of ['at the supplier', 'unknown', 'held', 'not sent']) {
    const { body } = await place(sql, partner, { externalOrderId, callbackUrl: nobody })
    items.push(body.items[0]?.id ?? '')
  }
  const [atSupplier = '', lost = '', held = ''] = items
  await answer(sql, atSupplier, processing())
  await answer(sql, lost, unknown())
  await answer(sql, held, hold())
  await finishAttempt(sql, await leaseAttempt(sql, await makeEvent(sql, partner, nobody)), unreachable())
}
