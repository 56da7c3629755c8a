import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import type { Database } from '../../src/database/client.ts'
import { createLog } from '../../src/log.ts'
import { createAdapters } from '../../src/suppliers/adapters.ts'
import { credentialFrom } from '../../src/suppliers/credential.ts'
import { createBalanceReader } from '../../src/worker/balance_reader.ts'
import { createWorkerMetrics } from '../../src/worker/metrics.ts'
import { createPace } from '../../src/worker/pace.ts'
import { createSupplierCredentials } from '../../src/worker/supplier_credentials.ts'
import { closeAlerts, collectAlerts } from '../support/alerts.ts'
import { credentialRules } from '../support/credential_rules.ts'
import { testDatabase } from '../support/database.ts'
import { answer, completed } from '../support/items.ts'
import { operatorOf } from '../support/operator.ts'
import { place } from '../support/orders.ts'
import { makeCatalog, makePartner, products } from '../support/partner.ts'

const database = testDatabase({ catalog: true })
const operator = operatorOf(database)
const sql = () => database.sql
const adapters = createAdapters({ timeoutMs: 2_000 })
/** What the supplier answers now, and what it was asked. */
let says: { status: number; body: unknown }
const asked: Pick<IncomingMessage, 'url' | 'headers'>[] = []
const supplier = createServer((request, response) => {
  asked.push(request)
  response.writeHead(says.status, { 'content-type': 'application/json' }).end(JSON.stringify(says.body))
})
let db: Database

beforeAll(async () => {
  await new Promise<void>((resolve) => supplier.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(supplier.address() as AddressInfo).port}`
  await makeCatalog(sql(), { url, token: 'our-token' })
  for (const [protocol, token] of [
    ...[['b2b', 'our-token'] as const, ['kinguin', 'our-token'] as const],
    ...[['digiflazz', 'us:key'] as const, ['bamboo', '5:us:key'] as const],
  ]) {
    await sql()`select ops.upsert_supplier(${protocol}, ${url}, ${token}, protocol => ${protocol})`
  }
  db = connectWorker(database.url)
})
beforeEach(async () => {
  asked.length = 0
  await sql()`delete from supply.supplier_balances`
})
afterAll(async () => {
  await adapters.close()
  await db.end()
  await new Promise((resolve) => supplier.close(resolve))
})

async function balanceOf(code = 'first') {
  const [row] = await sql()`
    select balance::float, balance_currency as currency, balance_at, balance_error as error, days_left::float
    from ops.suppliers where code = ${code}`
  return row ?? {}
}
/** Reads what is due, as a worker does. */
async function read() {
  const rules = credentialRules((credential) => credentialFrom(credential, {}))
  const credentials = createSupplierCredentials(db, rules)
  const reader = createBalanceReader({ db, adapters, credentials, pace: createPace(db), log: createLog('silent') })
  await reader.look()
  await reader.idle()
}
/** Has the supplier tell this when an operator asks for a reading, and returns what operators see after it. */
async function told(body: unknown, { status = 200, code = 'first' } = {}) {
  says = { status, body }
  await operator()`select ops.sync_supplier(${code})`
  await read()
  return balanceOf(code)
}
const euros = (balance: number) => told({ balance, currency: 'EUR' })
const alerts = async (cause: string) => {
  const rows = await sql()`select message, state from ops.alerts where cause = ${`${cause}:first`}`
  return [...rows]
}
const lines = async () => [
  ...(await sql()`select subject, remedy from ops.attention where what like 'supplier balance%' order by what`),
]

describe('our balance at a supplier', () => {
  const bambooAccounts = { accounts: [{ id: 5, currency: 'USD', balance: 12.3, isActive: true }] }
  test.each([
    ['first', { balance: 12.3, currency: 'EUR' }, '/balance', { authorization: 'Bearer our-token' }, 'EUR'],
    ['b2b', { data: { balance: 12.3, currency: 'RUB' } }, '/b2b/balance', { 'x-api-key': 'our-token' }, 'RUB'],
    ['kinguin', { balance: 12.3 }, '/v1/balance', { 'x-api-key': 'our-token' }, 'EUR'],
    ['digiflazz', { data: { deposit: 12.3 } }, '/cek-saldo', { 'content-type': 'application/json' }, 'IDR'],
    ['bamboo', bambooAccounts, '/v1.0/accounts', { authorization: `Basic ${btoa('us:key')}` }, 'USD'],
  ])('is read by the protocol of %s', async (code, body, path, headers, currency) => {
    expect(await told(body, { code })).toMatchObject({ balance: 12.3, currency, error: null })
    expect(asked.map(({ url }) => url)).toEqual([path])
    expect(asked[0]?.headers).toMatchObject(headers)
  })

  test.each([
    ['a status', { status: 503, body: {} }, 'HTTP 503'],
    ['no number', { status: 200, body: { balance: '12', currency: 'EUR' } }, 'the answer is unusable'],
    ['no currency', { status: 200, body: { balance: 12 } }, 'the answer is unusable'],
    ['no supplier', { status: 404, body: {}, code: 'b2b' }, 'HTTP 404'],
  ])('stays what it was where a reading fails: %s', async (_what, { body, ...how }, error) => {
    const { code } = { code: 'first', ...how }
    const before = await told(
      code === 'first' ? { balance: 7, currency: 'EUR' } : { data: { balance: 7, currency: 'RUB' } },
      { code },
    )
    const after = await told(body, how)
    expect(after).toEqual({ ...before, error: expect.stringContaining(error) })
  })

  test('is none where a supplier of the protocol http answers 404, and that is no trouble', async () => {
    await euros(5)
    expect(await told({}, { status: 404 })).toEqual({
      ...{ balance: null, currency: null, balance_at: null, error: null, days_left: null },
    })
  })
})

describe('a reading', () => {
  test('comes every five minutes, and counts for per_minute alone', async () => {
    await sql()`select ops.set_supplier_limits('first', max_calls => 1, per_minute => 60)`
    await sql()`insert into supply.supplier_places (supplier) values ('first') on conflict do nothing`
    await sql()`update supply.supplier_places set free_at = null`
    await euros(5)
    const [place] = await sql()`select free_at > now() as is_taken from supply.supplier_places where supplier = 'first'`
    expect(place?.is_taken).toBe(true)
    expect(await sql()`select from supply.supplier_attempts`).toHaveLength(0)
    await read()
    expect(asked).toHaveLength(1)
    const [next] = await sql()`
      select extract(epoch from due_at - now())::int as seconds from supply.supplier_balances where supplier = 'first'`
    expect(next?.seconds).toBeGreaterThan(290)
    await sql()`update supply.supplier_balances set due_at = now() where supplier = 'first'`
    await read()
    expect(asked).toHaveLength(2)
    await sql()`select ops.set_supplier_limits('first', null, null)`
  })

  test('that ends after a later one has begun changes nothing', async () => {
    await euros(5)
    await sql()`update supply.supplier_balances set due_at = now()`
    const [late] = await db.call('work.begin_balance')
    await euros(6)
    const result = { balance: 1, currency: 'EUR', error: null, began_at: new Date() }
    expect(await db.call('work.finish_balance', { supplier: 'first', reading: late?.reading ?? '', ...result })).toBe(
      false,
    )
    expect((await balanceOf()).balance).toBe(6)
  })
})

test('a balance at or below the threshold is a line of ops.attention and an alert, and both end by themselves', async () => {
  const notices = await operator.noticesOf((by) => by`select ops.set_supplier_threshold('first', 100)`)
  expect(notices).toEqual(['supplier first: alert at or below a balance of not set → 100.00; the balance is not known'])
  expect(await operator.noticesOf((by) => by`select ops.set_supplier_threshold('first', 100)`)).toMatchObject([
    /changed$/,
  ])
  await euros(100)
  await sql()`select work.compare_alerts()`
  await collectAlerts(sql())
  expect(await lines()).toEqual([
    { subject: 'supplier first', remedy: "select * from ops.suppliers where code = 'first'" },
  ])
  expect(await alerts('supplier_balance_low')).toMatchObject([
    { state: 'open', message: /is 100[.]00 EUR, its threshold is 100[.]00/ },
  ])
  await euros(100.1)
  expect(await operator()`select balance from ops.suppliers where code = 'first'`).toEqual([{ balance: '100.10' }])
  await closeAlerts(sql())
  expect(await lines()).toEqual([])
  expect(await alerts('supplier_balance_low')).toMatchObject([{ state: 'closed' }])
  await expect(operator()`select ops.set_supplier_threshold('first', -1)`).rejects.toThrow('amount must be')
  await operator()`select ops.set_supplier_threshold('first', null)`
})

test('a balance with a threshold that was not read for 20 minutes is a line of ops.attention and an alert', async () => {
  const lines = async () => [
    ...(await sql()`select subject, detail from ops.attention where what = 'supplier not read'`),
  ]
  await operator()`select ops.set_supplier_threshold('first', 100)`
  await euros(500)
  await sql()`update supply.supplier_balances set read_at = now() - interval '21 minutes' where supplier = 'first'`
  expect(await told({}, { status: 503 })).toMatchObject({ balance: 500, error: 'HTTP 503' })
  expect(await lines()).toMatchObject([
    { subject: 'supplier first', detail: expect.stringMatching(/^our balance there is outdated: HTTP 503; ops.sync/) },
  ])
  await collectAlerts(sql())
  expect(await alerts('supplier_sync')).toMatchObject([{ state: 'open', message: /balance there is outdated/ }])
  await euros(500)
  await closeAlerts(sql())
  expect([await lines(), await alerts('supplier_sync')]).toMatchObject([[], [{ state: 'closed' }]])
  await sql()`update supply.supplier_balances set read_at = now() - interval '21 minutes' where supplier = 'first'`
  await operator()`select ops.set_supplier_threshold('first', null)`
  expect([await told({}, { status: 503 }), await lines()]).toMatchObject([{ balance: 500 }, []])
})

test('the balance of another account is not compared with that of the one before', async () => {
  await euros(500)
  await operator()`select ops.upsert_supplier('first', base_url, 'another-token') from ops.suppliers where code = 'first'`
  expect(await balanceOf()).toMatchObject({ balance: null, currency: null })
  await euros(10)
  expect(await alerts('supplier_balance_fell')).toEqual([])
  await operator()`select ops.upsert_supplier('first', base_url, 'our-token') from ops.suppliers where code = 'first'`
})

describe('a balance that falls', () => {
  const spend = async (quantity: number, isDelivered = true) => {
    const partner = await makePartner(sql())
    const { body } = await place(sql(), partner, { items: [{ productId: products.topUp, quantity }] })
    const item = body.items[0]?.id ?? ''
    await answer(sql(), item, isDelivered ? completed() : { outcome: 'unknown', error: 'timeout' })
    return item
  }
  const fellAlerts = async () => {
    await collectAlerts(sql())
    const [row] =
      await sql()`select coalesce(sum(count), 0)::int as n from ops.alerts where cause = 'supplier_balance_fell:first'`
    return row?.n
  }
  beforeAll(() => sql()`select ops.upsert_offer(${products.topUp}, 'first', 'a', 5, 1, 'RUB')`)
  beforeEach(() => sql()`update supply.order_items set completed_at = completed_at - interval '1 day'`)
  const roubles = (balance: number) => told({ balance, currency: 'RUB' })

  test('by no more than what was ordered there raises no alert, also where the end of an order is not known', async () => {
    await roubles(1000)
    await spend(3)
    await roubles(985)
    await spend(2, false)
    await roubles(975)
    await roubles(2000)
    expect(await fellAlerts()).toBe(0)
  })

  test('by more is an alert: somebody else spends it', async () => {
    await roubles(1000)
    await sql()`update supply.order_items set completed_at = now(), status = 'failed' where completed_at is null`
    await sql()`update supply.order_items set completed_at = completed_at - interval '1 day'`
    await spend(3)
    await roubles(984.99)
    expect(await fellAlerts()).toBe(1)
    const line = await sql()`select detail from ops.attention where what = 'supplier balance fell'`
    expect(line[0]?.detail).toMatch(/^our balance at supplier first fell by 15.01 RUB since .* cost 15 at most/)
  })

  test('lasts as many days as the larger cost of the last day and of seven days allows', async () => {
    await sql()`update supply.order_items set completed_at = now() - interval '9 days' where completed_at is not null`
    const ago = async (quantity: number, days: number) =>
      sql()`update supply.order_items set completed_at = now() - ${days} * interval '1 day' where id = ${await spend(quantity)}`
    await ago(14, 3)
    expect(await roubles(40)).toMatchObject({ balance: 40, days_left: 4 })
    await ago(4, 0.5)
    expect(await roubles(40)).toMatchObject({ days_left: 2 })
    expect(await roubles(-3)).toMatchObject({ balance: -3, days_left: 0 })
  })
})

test('the worker shows the balances as a metric', async () => {
  await euros(12.5)
  const text = await createWorkerMetrics(db).registry.getSingleMetricAsString('supply_supplier_balance')
  expect(text).toContain('supply_supplier_balance{supplier="first",currency="EUR"} 12.5')
})
