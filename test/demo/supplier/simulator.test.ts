import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Simulator, startSimulator } from '../../../src/demo/supplier/simulator.ts'
import type { SupplierCall } from '../../../src/suppliers/adapter.ts'
import { createB2bAdapter } from '../../../src/suppliers/b2b/adapter.ts'
import { createHttpAdapter } from '../../../src/suppliers/http/adapter.ts'
import { startScriptedSupplier } from '../../support/servers/scripted_supplier.ts'
import { supplierCall } from '../../support/supplier_call.ts'

const timeScale = 0.02
const http = createHttpAdapter({ timeoutMs: 30_000 })
const b2b = createB2bAdapter({ timeoutMs: 30_000 })
let simulator: Simulator

/** Each protocol that the simulator speaks, with an adapter that gives up soon, a top-up and a product of keys. */
const protocols = [
  {
    ...{ protocol: 'http', adapter: http, impatient: createHttpAdapter({ timeoutMs: 500 }) },
    ...{ topUp: { sku: 'UC-60' }, keys: { sku: 'KEY-STEAM-10' } },
  },
  {
    ...{ protocol: 'b2b', adapter: b2b, impatient: createB2bAdapter({ timeoutMs: 500 }) },
    ...{ topUp: { sku: '101', quantity: 1 }, keys: { sku: '112', deliversKeys: true } },
  },
]

beforeAll(async () => {
  simulator = await startSimulator({ timeScale, token: 'demo-token' })
})
afterAll(async () => {
  await Promise.all(protocols.flatMap(({ adapter, impatient }) => [adapter.close(), impatient.close()]))
  await simulator.close()
})

function order(overrides: Partial<SupplierCall> = {}): SupplierCall {
  const { url: baseUrl, token } = simulator
  return supplierCall({ baseUrl, token, sku: 'UC-60', quantity: 3, currency: 'RUB', ...overrides })
}

const player = (digits: string) => ({ deliveryData: { gameUserId: `51234567${digits}` } })

/** Asks until the order is final; returns the outcome and the seconds of the simulation since `since`. */
async function settle(call: SupplierCall, adapter = http, since = Date.now()) {
  const outcome = await vi.waitFor(
    async () => {
      const answer = await adapter.get(call)
      expect(answer).toMatchObject({ outcome: 'answered', status: expect.stringMatching(/completed|failed/) })
      return answer
    },
    { timeout: 45_000, interval: 5 },
  )
  return { outcome, seconds: (Date.now() - since) / 1000 / timeScale }
}

describe.each(protocols)('the simulator by $protocol', ({ adapter, impatient, topUp, keys }) => {
  it('takes an order, and completes it after a while', async () => {
    const call = order(topUp)
    expect(await adapter.put(call)).toMatchObject({ status: 'processing', codes: [] })
    const { outcome } = await settle(call, adapter)
    expect(outcome).toMatchObject({ status: 'completed', codes: [], errorCode: null, reason: null })
  })

  it('delivers as many keys as were ordered, which are the same in each answer', async () => {
    const call = order({ ...keys, deliveryData: {} })
    await adapter.put(call)
    const { outcome } = await settle(call, adapter)
    const codes = 'codes' in outcome ? outcome.codes : []
    expect([codes.length, new Set(codes).size]).toEqual([3, 3])
    for (const code of codes) expect(code).toMatch(/^[0-9A-F]{5}(-[0-9A-F]{5}){3}$/)
    expect(await adapter.get(call)).toEqual(outcome)
  })

  it.each([
    ['00', 'PLAYER_NOT_FOUND', /^Игрок/],
    ['01', 'SUPPLIER_ERROR', /^[А-Я]/],
  ])('fails the order of player …%s with %s', async (digits, errorCode, reason) => {
    const call = order({ ...topUp, ...player(digits) })
    await adapter.put(call)
    const { outcome } = await settle(call, adapter)
    expect(outcome).toMatchObject({ status: 'failed', errorCode, codes: [], reason: expect.stringMatching(reason) })
    expect(await adapter.get(call)).toEqual(outcome)
  })

  it.each([
    [1, 0, 'SUPPLIER_ERROR'],
    [2, 1, 'OUT_OF_STOCK'],
    [5, 2, 'OUT_OF_STOCK'],
  ])('of %i keys for player …02 delivers %i', async (quantity, delivered, errorCode) => {
    const call = order({ ...keys, ...player('02'), quantity })
    await adapter.put(call)
    const { outcome } = await settle(call, adapter)
    expect(outcome).toMatchObject({ status: 'failed', errorCode })
    expect(outcome).toHaveProperty('codes.length', delivered)
  })

  it('answers 500 to the first two calls for player …03, then completes', async () => {
    const call = order({ ...topUp, ...player('03') })
    expect(await adapter.put(call)).toMatchObject({ outcome: 'unknown', httpStatus: 500 })
    expect(await adapter.get(call)).toMatchObject({ outcome: 'unknown', httpStatus: 500 })
    expect(await adapter.put(call)).toMatchObject({ outcome: 'answered' })
    expect((await settle(call, adapter)).outcome).toMatchObject({ status: 'completed' })
  })

  it('never answers for player …05, and loses the first answer for player …06, yet has delivered', async () => {
    const silent = order({ ...topUp, ...player('05') })
    expect(await impatient.put(silent)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    expect(await impatient.get(silent)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    const lost = order({ ...keys, ...player('06') })
    expect(await impatient.put(lost)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    expect(await adapter.get(lost)).toMatchObject({ status: 'completed', codes: { length: 3 } })
  })

  it('takes a repeated order for the same', async () => {
    const call = order({ ...keys, deliveryData: {} })
    await adapter.put(call)
    const { outcome } = await settle(call, adapter)
    expect(await adapter.put(call)).toEqual(outcome)
  })

  it('does not know what it never received', async () => {
    expect(await adapter.get(order(topUp))).toEqual({ outcome: 'not_received' })
  })
})

describe('the simulator by http', () => {
  const keys = { sku: 'KEY-STEAM-10', deliveryData: {} }

  it.each([
    ['a usual player', '89', 2, 'completed'],
    ['player …01', '01', 5, 'failed'],
    ['player …04', '04', 60, 'completed'],
  ])('takes its time for the order of %s', async (_, digits, least, status) => {
    const since = Date.now()
    const call = order(player(digits))
    expect(await http.put(call)).toMatchObject({ status: 'processing', httpStatus: 202 })
    const { outcome, seconds } = await settle(call, http, since)
    expect(outcome).toMatchObject({ status })
    expect(seconds).toBeGreaterThanOrEqual(least)
  })

  it('refuses the player …00 at once', async () => {
    expect(await http.put(order(player('00')))).toMatchObject({ status: 'failed', httpStatus: 422 })
  })

  it('keeps an order as it was placed first', async () => {
    const call = order(keys)
    await http.put(call)
    await http.put({ ...call, quantity: 9 })
    expect(simulator.orders.get(call.reference)).toMatchObject({ quantity: 3, puts: 2 })
  })

  it('delivers the same keys for a reference after a restart', async () => {
    const call = order(keys)
    const outcomes = []
    for (let start = 0; start < 2; start++) {
      const another = await startSimulator({ timeScale: 0 })
      outcomes.push(await http.put({ ...call, baseUrl: another.url, token: another.token }))
      await another.close()
    }
    expect(outcomes[0]).toMatchObject({ status: 'completed' })
    expect(outcomes[1]).toEqual(outcomes[0])
  })

  it('takes no other token than its own', async () => {
    const call = order({ token: 'wrong' })
    expect(await http.put(call)).toMatchObject({ outcome: 'unknown', httpStatus: 401 })
    expect(await http.get(call)).toMatchObject({ outcome: 'unknown', httpStatus: 401 })
    expect(simulator.orders.has(call.reference)).toBe(false)
  })

  it('has no more than 10,000 keys for an order', async () => {
    const outcome = await http.put(order({ ...keys, quantity: 10_001 }))
    expect(outcome).toMatchObject({ status: 'failed', errorCode: 'OUT_OF_STOCK', codes: [] })
  })

  it('has none left of a sku that ends with -SOLD-OUT', async () => {
    const call = order({ ...keys, sku: 'KEY-112-SOLD-OUT' })
    expect(await http.put(call)).toMatchObject({ status: 'failed', errorCode: 'OUT_OF_STOCK', codes: [] })
    expect(simulator.orders.has(call.reference)).toBe(false)
  })

  it.each([
    ['POST', '/orders/a', '{}', 405],
    ['PUT', '/orders/a', 'nonsense', 400],
    ['PUT', '/orders/a', '{"reference":"b","sku":"S","quantity":1}', 400],
    ['PUT', '/orders/a', '{"reference":"a","sku":"S","quantity":0}', 400],
    ['PUT', '/orders/a', JSON.stringify({ reference: 'a'.repeat(70_000) }), 413],
    ['PUT', '/orders/a', '{"reference":"a","sku":"S","quantity":1}', 202],
    ['GET', '/orders', undefined, 404],
    ['GET', '/', undefined, 404],
  ])('answers %s %s %.40s with %i', async (method, path, body, status) => {
    const headers = { authorization: `Bearer ${simulator.token}` }
    const response = await fetch(`${simulator.url}${path}`, { method, headers, body: body ?? null })
    expect(response.status).toBe(status)
  })

  it.each([
    ['PUT', '/orders/a', 'wrong', 401],
    ['PUT', '/', 'demo-token', 404],
    ['POST', '/orders/a', 'demo-token', 405],
  ])('refuses %s %s under the token %s before its body has come', async (method, path, token, status) => {
    const headers = { authorization: `Bearer ${token}`, 'content-length': '1000' }
    const sent = request(`${simulator.url}${path}`, { method, headers })
    sent.write('{')
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(status)
    sent.on('error', () => {})
    sent.destroy()
  })

  it('tells its log what it answered', async () => {
    const log = vi.fn()
    const own = await startSimulator({ log })
    const call = order({ baseUrl: own.url, token: own.token })
    await http.put(call)
    expect(log).toHaveBeenCalledWith({ event: 'call', method: 'PUT', path: `/orders/${call.reference}`, answer: 202 })
    expect(JSON.stringify(log.mock.calls)).not.toContain(own.token)
    await own.close()
  })
})

describe('the simulator by b2b', () => {
  const topUp = { sku: '101', quantity: 1 }
  const keys = { sku: '112', deliversKeys: true, deliveryData: {} }

  it('makes no other order under a key that it knows', async () => {
    const call = order(keys)
    await b2b.put(call)
    const { outcome } = await settle(call, b2b)
    expect(await b2b.put({ ...call, unitCost: '999.00' })).toEqual(outcome)
    const count = simulator.upstreamOrders.size
    expect(await b2b.put({ ...call, quantity: 2 })).toMatchObject({ status: 'processing', httpStatus: 200 })
    expect(simulator.upstreamOrders.size).toBe(count)
  })

  it('is another supplier than the one of the protocol http', async () => {
    const call = order(keys)
    await b2b.put(call)
    expect(simulator.upstreamOrders.has(call.reference)).toBe(true)
    expect(simulator.orders.has(call.reference)).toBe(false)
  })

  it.each([
    ['a product that it has not', { sku: '999' }],
    ['what is out of stock', { sku: '110' }],
    ['more than it sells at once', { quantity: 101 }],
    ['a cost below its own', { unitCost: '0.01' }],
  ])('has none of %s', async (_, overrides) => {
    expect(await b2b.put(order({ ...topUp, ...overrides }))).toMatchObject({
      status: 'failed',
      errorCode: 'OUT_OF_STOCK',
      httpStatus: 422,
    })
  })

  it('knows nobody with another key', async () => {
    expect(await b2b.put(order({ ...topUp, token: 'wrong' }))).toMatchObject({ cause: 'credentials' })
  })

  it("lists the demo's products, with what they cost there", async () => {
    expect(await b2b.list?.(order(), ['101', '110', '112', '999'])).toEqual({
      ok: true,
      offers: [
        { sku: '101', cost: '89.00', currency: 'RUB', stock: null },
        { sku: '110', cost: '149.00', currency: 'RUB', stock: 0 },
        { sku: '112', cost: '741.50', currency: 'RUB', stock: null },
      ],
    })
  })

  it('sends a signed webhook to the callbackUrl when the order is final', async () => {
    const service = await startScriptedSupplier()
    const call = order({ ...keys, eventsUrl: `${service.url}/suppliers/reserve/webhooks` })
    await b2b.put(call)
    const { path, headers, rawBody } = await service.waitForRequest(() => true)
    expect(path).toBe('/suppliers/reserve/webhooks')
    const event = { headers, rawBody: Buffer.from(rawBody), now: new Date(), secret: simulator.webhookSecret }
    const says = { says: 'delivered', reference: call.reference }
    expect(b2b.readEvent?.(event)).toEqual({ ok: true, eventId: expect.any(String), ...says })
    await service.close()
  })

  it.each([
    ['GET', '/b2b/orders/ord_nobody', undefined, 404],
    ['GET', '/b2b/nothing', undefined, 404],
    ['GET', '/b2b/catalog/games/nothing/products', undefined, 404],
    ['DELETE', '/b2b/orders', undefined, 405],
    ['POST', '/b2b/orders', '{"externalOrderId":"a","items":[]}', 400],
    ['POST', '/b2b/orders', 'nonsense', 400],
    ['POST', '/b2b/orders', '{"externalOrderId":"a","items":[{"productId":101}],"callbackUrl":"nonsense"}', 400],
  ])('answers %s %s with %s by %i', async (method, path, body, status) => {
    const headers = { 'x-api-key': simulator.token }
    const response = await fetch(`${simulator.url}${path}`, { method, headers, body: body ?? null })
    expect(response.status).toBe(status)
  })
})
