import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { place } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { type ServiceProcess, startProcess } from '../support/servers/service_process.ts'
import { type PostgresWithStandby, startPostgresWithStandby } from '../support/servers/standby.ts'

const polling = { timeout: 45_000, interval: 50 }
const programs = new Map<string, ServiceProcess>()
let postgres: PostgresWithStandby
let partner: Partner
/** Reads from the standby, however old that is. */
let api: string

beforeAll(async () => {
  postgres = await startPostgresWithStandby()
})
afterAll(async () => {
  await Promise.all([...programs.values()].map((program) => program.kill()))
  await postgres?.close()
})

// The tests go on from one to the next: the standby is paused and resumed as the story needs it.

test('a standby that lacks migrations is not used', async () => {
  await postgres.pauseReplay()
  await migrate({ databaseUrl: postgres.primary.url })
  await makeCatalog(postgres.sql, { url: 'http://127.0.0.1:1', token: 't' })
  partner = await makePartner(postgres.sql, { balance: 10_000 })
  api = await startApi({ DATABASE_READ_STALENESS_SECONDS: '3600' })
  expect(await games(api)).toEqual(['Space Trader'])
  await postgres.resumeReplay()
  await saysUsed(api, 1)
})

test('catalog, lists and statements come from the standby', async () => {
  await postgres.pauseReplay()
  await postgres.sql`select ops.upsert_game('space-trader', 'Space Trader II')`
  await postgres.sql`select ops.upsert_product(${products.key}, 'space-trader', 'Key II', 20.00, 'RUB', 'key')`
  const { code } = await placeElsewhere()
  expect(await games(api)).toEqual(['Space Trader'])
  expect((await get(api, `/b2b/catalog/products/${products.key}`)).data.name).toBe('Gift key')
  expect(await listed(api)).not.toContain(code)
  expect(await entries(api)).toHaveLength(1)
})

test('an order, a search by reference and the balance come from the primary', async () => {
  const { code, externalOrderId } = await placeElsewhere()
  expect((await get(api, `/b2b/orders/${code}`)).data.code).toBe(code)
  expect(await listed(api, `?externalOrderId=${externalOrderId}`)).toEqual([code])
  expect((await get(api, '/b2b/balance')).data.balance).toBe(10_000 - 2 * 10.5)
})

test('rows that the standby does not have yet come from the primary', async () => {
  await postgres.sql`select ops.upsert_product(777, 'space-trader', 'Brand new', 1.00, 'RUB', 'key')`
  await postgres.sql`select ops.upsert_game('fresh', 'Fresh')`
  expect((await get(api, '/b2b/catalog/products/777')).data.name).toBe('Brand new')
  expect((await get(api, '/b2b/catalog/games/fresh/products')).data).toEqual([])
  const { code } = await placeElsewhere()
  expect((await get(api, `/b2b/orders?cursor=${code}`)).success).toBe(true)
  const [account] = await postgres.sql`
    select a.last_seq from supply.accounts a where a.id = ${partner.accountId}`
  expect(await listed(api, `?page=1&asOf=${account?.last_seq}`)).toContain(code)
})

test('after an order, the lists of its account alone come from the primary', async () => {
  const other = await makePartner(postgres.sql, { balance: 1_000 })
  const { code: theirs } = await placeElsewhere()
  const code = await order(api, other, 'just ordered')
  expect(await listed(api, '', other)).toEqual([code])
  expect(await entries(api, other)).toHaveLength(2)
  expect(await listed(api)).not.toContain(theirs)
})

test('a standby that lags too far behind is not used until it has caught up', async () => {
  const impatient = await startApi({ DATABASE_READ_STALENESS_SECONDS: '2' })
  await postgres.resumeReplay()
  await saysUsed(impatient, 1)
  await postgres.pauseReplay()
  const { code } = await placeElsewhere()
  await expect.poll(() => listed(impatient), polling).toContain(code)
  expect(await listed(api)).not.toContain(code)
  await postgres.resumeReplay()
  await expect.poll(() => listed(api), polling).toContain(code)
})

test('a standby that dies costs no answer', async () => {
  const answers: (number | string)[] = []
  let isOver = false
  const reader = (async () => {
    while (!isOver) answers.push((await ask(api, '/b2b/orders', partner)).status)
  })()
  await expect.poll(() => answers.length, polling).toBeGreaterThan(10)
  await postgres.killStandby()
  const before = answers.length
  await expect.poll(() => answers.length, polling).toBeGreaterThan(before + 10)
  isOver = true
  await reader
  expect(answers.filter((status) => status !== 200)).toEqual([])

  const { code } = await placeElsewhere()
  expect(await listed(api)).toContain(code)
  await programs.get(api)?.says(/standby is used for reads.*standby is not used/s)
  await postgres.startStandby()
  await saysUsed(api, 2)
})

async function startApi(settings: { [name: string]: string }): Promise<string> {
  const program = startProcess('api', {
    DATABASE_URL: postgres.primary.url,
    DATABASE_READ_URL: postgres.standbyUrl,
    RATE_LIMIT_PER_MINUTE: '1000000',
    PORT: '0',
    ...settings,
  })
  const [, url = ''] = await program.says(/ready: (.*)/)
  programs.set(url, program)
  return url
}

async function ask(url: string, path: string, by: Partner) {
  const response = await request(`${url}${path}`, { headers: { 'x-api-key': by.key } })
  return { status: response.statusCode, json: (await response.body.json()) as ReturnType<typeof JSON.parse> }
}

async function get(url: string, path: string, by: Partner = partner) {
  const { status, json } = await ask(url, path, by)
  expect(status, JSON.stringify(json)).toBe(200)
  return json
}

/** Waits until the process has begun to use the standby for the nth time. */
async function saysUsed(url: string, nth: number): Promise<void> {
  await programs.get(url)?.says(new RegExp(`(the standby is used for reads.*){${nth}}`, 's'))
}

/** An order of the partner that another process has taken. */
async function placeElsewhere() {
  const { result, body } = await place(postgres.sql, partner)
  expect(result).toBe('created')
  return body
}

async function order(url: string, by: Partner, externalOrderId: string): Promise<string> {
  const items = [{ productId: products.topUp, deliveryData: { gameUserId: '123456789' } }]
  const response = await request(`${url}/b2b/orders`, {
    method: 'POST',
    headers: { 'x-api-key': by.key, 'content-type': 'application/json' },
    body: JSON.stringify({ externalOrderId, items }),
  })
  expect(response.statusCode).toBe(201)
  const { data } = (await response.body.json()) as { data: { code: string } }
  return data.code
}

async function games(url: string): Promise<string[]> {
  return (await get(url, '/b2b/catalog/games')).data.map(({ name }: { name: string }) => name)
}

/** The codes of the orders in a list. */
async function listed(url: string, query = '', by: Partner = partner): Promise<string[]> {
  const { data } = await get(url, `/b2b/orders${query}`, by)
  return data.orders.map(({ code }: { code: string }) => code)
}

async function entries(url: string, by: Partner = partner): Promise<object[]> {
  return (await get(url, '/b2b/balance/transactions', by)).data.transactions
}
