import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Simulator, startSimulator } from '../../../src/demo/supplier/simulator.ts'
import type { SupplierAdapter, SupplierCall } from '../../../src/suppliers/adapter.ts'
import { createB2bAdapter } from '../../../src/suppliers/b2b/adapter.ts'
import { startScriptedSupplier } from '../../support/servers/scripted_supplier.ts'
import { supplierCall } from '../../support/supplier_call.ts'

const timeScale = 0.02
const b2b = createB2bAdapter({ timeoutMs: 30_000 })
const impatient = createB2bAdapter({ timeoutMs: 500 })
let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator({ timeScale })
})

afterAll(async () => {
  await Promise.all([b2b.close(), impatient.close()])
  await simulator.close()
})

const topUp = { sku: '101', quantity: 1 }
const keys = { sku: '112', quantity: 3, deliversKeys: true, deliveryData: {} }
const player = (digits: string) => ({ deliveryData: { gameUserId: `51234567${digits}` } })

function order(overrides: Partial<SupplierCall> = topUp): SupplierCall {
  return supplierCall({ baseUrl: simulator.url, token: simulator.token, currency: 'RUB', ...overrides })
}

/** Asks until the order is final. */
function settle(call: SupplierCall, adapter: SupplierAdapter = b2b) {
  return vi.waitFor(
    async () => {
      const answer = await adapter.get(call)
      expect(answer).toMatchObject({ outcome: 'answered', status: expect.stringMatching(/completed|failed/) })
      return answer
    },
    { timeout: 45_000, interval: 5 },
  )
}

describe('the simulator as an upstream', () => {
  it('takes an order, and completes it after a while', async () => {
    const call = order()
    expect(await b2b.put(call)).toMatchObject({ status: 'processing', httpStatus: 201, codes: [] })
    expect(await settle(call)).toMatchObject({ status: 'completed', codes: [] })
  })

  it('delivers as many keys as were ordered, which are the same in each answer', async () => {
    const call = order(keys)
    await b2b.put(call)
    const ended = await settle(call)
    expect(ended).toMatchObject({ status: 'completed', codes: { length: 3 } })
    expect(await b2b.get(call)).toEqual(ended)
  })

  it('fails the order of player …00 at once, with a reason', async () => {
    const call = order({ ...topUp, ...player('00') })
    expect(await b2b.put(call)).toMatchObject({ status: 'processing' })
    expect(await b2b.get(call)).toMatchObject({
      status: 'failed',
      errorCode: 'PLAYER_NOT_FOUND',
      reason: expect.stringMatching(/^Игрок/),
    })
  })

  it('delivers a part for player …02, with its keys', async () => {
    const call = order({ ...keys, ...player('02') })
    await b2b.put(call)
    expect(await settle(call)).toMatchObject({ status: 'failed', errorCode: 'OUT_OF_STOCK', codes: { length: 1 } })
  })

  it('answers 500 to the first two calls for player …03, then completes one order', async () => {
    const call = order({ ...topUp, ...player('03') })
    expect(await b2b.put(call)).toMatchObject({ outcome: 'unknown', httpStatus: 500 })
    expect(await b2b.get(call)).toMatchObject({ outcome: 'unknown', httpStatus: 500 })
    expect(await settle(call)).toMatchObject({ status: 'completed' })
  })

  it('never answers for player …05, and loses the first answer for player …06', async () => {
    const silent = order({ ...topUp, ...player('05') })
    expect(await impatient.put(silent)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    expect(await impatient.get(silent)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    const lost = order({ ...topUp, ...player('06') })
    expect(await impatient.put(lost)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    expect(await b2b.get(lost)).toMatchObject({ status: 'completed' })
  })

  it('takes a repeated order for the same, and no other under its key', async () => {
    const call = order(keys)
    await b2b.put(call)
    const ended = await settle(call)
    expect(await b2b.put(call)).toEqual(ended)
    expect(await b2b.put({ ...call, unitCost: '999.00' })).toEqual(ended)
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

  it('does not know what it never received, and nobody with another key', async () => {
    expect(await b2b.get(order())).toEqual({ outcome: 'not_received' })
    expect(await b2b.put({ ...order(), token: 'wrong' })).toMatchObject({ cause: 'credentials' })
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
    expect(b2b.readEvent?.(event)).toEqual({ ok: true, eventId: expect.any(String), reference: call.reference })
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
