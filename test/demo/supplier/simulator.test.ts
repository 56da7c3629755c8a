import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Simulator, startSimulator } from '../../../src/demo/supplier/simulator.ts'
import type { SupplierAdapter, SupplierCall } from '../../../src/suppliers/adapter.ts'
import { createAdapters } from '../../../src/suppliers/adapters.ts'
import { supplierCall } from '../../support/supplier_call.ts'

const timeScale = 0.02
const adapters = createAdapters()
const hasty = createAdapters({ timeoutMs: 500 })
let simulator: Simulator
let http: SupplierAdapter
let impatient: SupplierAdapter

beforeAll(async () => {
  simulator = await startSimulator({ timeScale, token: 'demo-token' })
  http = adapter(adapters)
  impatient = adapter(hasty)
})

afterAll(async () => {
  await Promise.all([adapters.close(), hasty.close()])
  await simulator.close()
})

function adapter(all: typeof adapters): SupplierAdapter {
  const found = all.adapterFor('http')
  if (found === undefined) throw new Error('no adapter for http')
  return found
}

function order(overrides: Partial<SupplierCall> = {}): SupplierCall {
  return supplierCall({ baseUrl: simulator.url, token: simulator.token, quantity: 3, ...overrides })
}

const player = (digits: string) => ({ deliveryData: { gameUserId: `51234567${digits}` } })
const keys = { sku: 'KEY-STEAM-10', deliveryData: {} }

/** Asks until the order is final; returns the outcome and the seconds of the simulation since `since`. */
async function settle(call: SupplierCall, since: number) {
  const outcome = await vi.waitFor(
    async () => {
      const answer = await http.get(call)
      expect(answer).toMatchObject({ outcome: 'answered', status: expect.stringMatching(/completed|failed/) })
      return answer
    },
    { timeout: 45_000, interval: 5 },
  )
  return { outcome, seconds: (Date.now() - since) / 1000 / timeScale }
}

describe('the simulator', () => {
  it('completes an order after 2 seconds', async () => {
    const since = Date.now()
    const call = order()
    expect(await http.put(call)).toMatchObject({ status: 'processing', httpStatus: 202, codes: [] })
    const { outcome, seconds } = await settle(call, since)
    expect(outcome).toMatchObject({ status: 'completed', codes: [], errorCode: null, reason: null })
    expect(seconds).toBeGreaterThanOrEqual(2)
  })

  it('delivers as many keys as were ordered for skus that begin with KEY-', async () => {
    const call = order(keys)
    await http.put(call)
    const { outcome } = await settle(call, Date.now())
    const codes = 'codes' in outcome ? outcome.codes : []
    expect(codes).toHaveLength(3)
    expect(new Set(codes).size).toBe(3)
    for (const code of codes) expect(code).toMatch(/^[0-9A-F]{5}(-[0-9A-F]{5}){3}$/)
  })

  it('refuses the player …00 with a reason, and says so again when asked', async () => {
    const call = order(player('00'))
    const refusal = { outcome: 'answered', status: 'failed', errorCode: 'PLAYER_NOT_FOUND', codes: [] }
    const refused = await http.put(call)
    expect(refused).toMatchObject({ ...refusal, httpStatus: 422, reason: expect.stringMatching(/^Игрок/) })
    expect(await http.get(call)).toEqual({ ...refused, httpStatus: 200 })
  })

  it('fails the order of player …01 after 5 seconds', async () => {
    const since = Date.now()
    const call = order(player('01'))
    expect(await http.put(call)).toMatchObject({ status: 'processing' })
    const { outcome, seconds } = await settle(call, since)
    expect(outcome).toMatchObject({ status: 'failed', errorCode: 'SUPPLIER_ERROR', codes: [] })
    expect(seconds).toBeGreaterThanOrEqual(5)
  })

  it.each([
    [1, 0, 'SUPPLIER_ERROR'],
    [2, 1, 'OUT_OF_STOCK'],
    [5, 2, 'OUT_OF_STOCK'],
  ])('of %i keys for player …02 delivers %i', async (quantity, delivered, errorCode) => {
    const call = order({ ...player('02'), sku: 'KEY-STEAM-10', quantity })
    await http.put(call)
    const { outcome } = await settle(call, Date.now())
    expect(outcome).toMatchObject({ status: 'failed', errorCode })
    expect(outcome).toHaveProperty('codes.length', delivered)
  })

  it('answers 500 to the first two calls for player …03, then completes', async () => {
    const call = order(player('03'))
    expect(await http.put(call)).toMatchObject({ outcome: 'unknown', httpStatus: 500 })
    expect(await http.get(call)).toMatchObject({ outcome: 'unknown', httpStatus: 500 })
    expect(await http.put(call)).toMatchObject({ outcome: 'answered' })
    expect((await settle(call, Date.now())).outcome).toMatchObject({ status: 'completed' })
  })

  it('takes 60 seconds for player …04', async () => {
    const since = Date.now()
    const call = order(player('04'))
    await http.put(call)
    const { outcome, seconds } = await settle(call, since)
    expect(outcome).toMatchObject({ status: 'completed' })
    expect(seconds).toBeGreaterThanOrEqual(60)
  })

  it('never answers for player …05', async () => {
    const call = order(player('05'))
    expect(await impatient.put(call)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    expect(await impatient.get(call)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
  })

  it('does not answer the PUT for player …06, yet has delivered', async () => {
    const call = order({ ...player('06'), sku: 'KEY-STEAM-10' })
    expect(await impatient.put(call)).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    expect(await http.get(call)).toMatchObject({ status: 'completed', codes: expect.any(Array) })
  })

  it('takes a repeated PUT for the same order', async () => {
    const call = order(keys)
    await http.put(call)
    const { outcome } = await settle(call, Date.now())
    expect(await http.put({ ...call, quantity: 9 })).toEqual(outcome)
    expect(simulator.orders.get(call.reference)).toMatchObject({ quantity: 3, puts: 2 })
  })

  it('does not know what it never received', async () => {
    expect(await http.get(order())).toEqual({ outcome: 'not_received' })
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
