import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp_proxy.ts'
import { type Answer, startApi, type TestApi } from '../support/service.ts'
import { signedPush } from '../support/signed.ts'

const database = testDatabase({ catalog: true })
let network: TcpProxy
let api: TestApi
let partner: Partner

beforeAll(async () => {
  network = await startTcpProxy(database.url)
  api = await startApi(network.url)
  partner = await makePartner(database.sql, { balance: 100_000 })
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:1', token: 'push-token' })
})
afterEach(async () => {
  network.set('pass')
  await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
})
afterAll(async () => {
  await api.close()
  await network.close()
})

let counter = 0
const order = () => {
  counter += 1
  return {
    externalOrderId: `order-${counter}`,
    items: [{ productId: products.topUp, deliveryData: { gameUserId: '1' } }],
  }
}

function push(): Promise<Answer> {
  const body = JSON.stringify({ reference: crypto.randomUUID(), status: 'completed' })
  return api.post('/suppliers/first/results', { body, headers: signedPush(body, 'push-token') })
}

const everything = (): Promise<Answer>[] => [
  api.get('/b2b/balance', { key: partner.key }),
  api.get('/b2b/balance', { key: 'unknown' }),
  api.get('/b2b/balance'),
  api.get('/b2b/catalog/games', { key: partner.key }),
  api.get('/b2b/orders/ord_1', { key: partner.key }),
  api.post('/b2b/orders', { key: partner.key, body: order() }),
  api.post('/b2b/orders', { key: partner.key, headers: { origin: 'https://x.example' }, body: order() }),
  api.get('/nothing'),
  api.get('/readyz'),
  push(),
]

describe.each([
  ['refuses connections', 'refuse'],
  ['drops all packets', 'swallow'],
] as const)('while the network to the database %s', (_, mode) => {
  test('every request is answered by 503, also one with a wrong key, and the process is alive', async () => {
    expect((await api.get('/b2b/balance', { key: partner.key })).status).toBe(200)
    network.set(mode)
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(everything())
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503))
      for (const { headers, json } of answers) {
        expect(json).toMatchObject({ success: false, code: 'UNAVAILABLE' })
        expect(Number(headers['retry-after'])).toBeGreaterThan(0)
        expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
      }
    }
    expect((await api.get('/livez')).status).toBe(200)
  })

  test('a repeated order is placed and charged once when the network is back', async () => {
    const request = order()
    network.set(mode)
    const lost = await api.post('/b2b/orders', { key: partner.key, body: request })
    expect(lost.status).toBe(503)
    network.set('pass')
    await expect
      .poll(async () => (await api.post('/b2b/orders', { key: partner.key, body: request })).status, {
        timeout: 45_000,
      })
      .toBe(200)
    const list = await api.get(`/b2b/orders?externalOrderId=${request.externalOrderId}`, { key: partner.key })
    expect(list.json.data.orders).toHaveLength(1)
  })
})

test('a bug in the database gives 500 without internals to its request alone', async () => {
  await database.sql`alter function api.get_balance rename to get_balance_gone`
  const answer = await api.get('/b2b/balance', { key: partner.key })
  await database.sql`alter function api.get_balance_gone rename to get_balance`
  expect(answer).toMatchObject({ status: 500, json: { success: false, code: 'INTERNAL' } })
  expect(answer.text).not.toMatch(/get_balance|function|sql/i)
  expect(answer.headers['x-ratelimit-limit']).toBeDefined()
  const record = api.records.find(({ msg }) => msg === 'a request failed')
  expect(record).toMatchObject({ level: 'error', requestId: answer.headers['x-request-id'] })
  expect((await api.get('/b2b/balance', { key: partner.key })).status).toBe(200)
})
