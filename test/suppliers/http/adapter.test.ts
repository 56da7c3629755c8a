import { describe, expect, it } from 'vitest'
import { createAdapters } from '../../../src/suppliers/adapters.ts'
import type { ScriptedSupplier } from '../../support/servers/scripted_supplier.ts'
import { type AskOptions, httpAdapters, methods } from '../harness.ts'

const { supplier, adapters, order, ask } = httpAdapters()

describe('the adapters', () => {
  it('exist for known protocols only', () => {
    for (const protocol of ['http', 'b2b']) expect(adapters().adapterFor(protocol)).toBeDefined()
    for (const protocol of ['', 'HTTP', 'smtp', 'constructor', '__proto__']) {
      expect(adapters().adapterFor(protocol)).toBeUndefined()
    }
  })

  it('give running calls an unknown outcome when they are closed', async () => {
    const own = createAdapters()
    const call = order()
    supplier().on(call.reference, () => 'hang')
    const outcome = ask('PUT', call, { using: own })
    await supplier().waitForRequest((r) => r.reference === call.reference)
    await own.close()
    expect(await outcome).toMatchObject({ outcome: 'unknown' })
    expect(await ask('PUT', call, { using: own })).toMatchObject({ outcome: 'unknown' })
  })
})

describe('a request', () => {
  it('that is a PUT sends the order with the token', async () => {
    const call = order()
    await ask('PUT', call)
    const [request, ...others] = supplier().requestsFor(call.reference)
    const { reference, sku, quantity, deliveryData } = call
    expect(others).toEqual([])
    expect(request).toMatchObject({
      method: 'PUT',
      path: `/orders/${reference}`,
      body: { reference, sku, quantity, deliveryData },
    })
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer a-token-of-nobody',
      'content-type': 'application/json',
    })
  })

  it('that is a GET sends the token and no body', async () => {
    const call = order()
    await ask('GET', call)
    const [request] = supplier().requestsFor(call.reference)
    expect(request).toMatchObject({ method: 'GET', path: `/orders/${call.reference}`, rawBody: '' })
    expect(request?.headers.authorization).toBe('Bearer a-token-of-nobody')
    expect(request?.headers).not.toHaveProperty('content-length')
  })

  it('goes below the path of the base URL', async () => {
    const call = order({ baseUrl: `${supplier().url}/api/v2/` })
    for (const method of methods) await ask(method, call)
    const paths = supplier()
      .requestsFor(call.reference)
      .map(({ path }) => path)
    expect(paths).toEqual(methods.map(() => `/api/v2/orders/${call.reference}`))
  })
})

describe.each(methods)('the outcome of a %s is unknown', (method) => {
  const outcomeOf = async (answer: Parameters<ScriptedSupplier['setAnswer']>[0], options: AskOptions = {}) => {
    const call = order()
    supplier().on(call.reference, answer)
    const outcome = await ask(method, call, options)
    expect(supplier().requestsFor(call.reference)).toHaveLength(1)
    expect(JSON.stringify(outcome)).not.toContain(call.token)
    return outcome
  }

  it('after an unrequested 101', async () => {
    const headers = { upgrade: 'x', connection: 'upgrade' }
    expect(await outcomeOf(() => ({ status: 101, headers }))).toMatchObject({ outcome: 'unknown' })
  })

  it('where the connection is cut within the body, though the status refused', async () => {
    const answer = { status: 422, json: { errorCode: 'X' }, stop: 'reset' } as const
    expect(await outcomeOf(() => answer)).toMatchObject({
      outcome: 'unknown',
      error: expect.stringMatching(/^connection error: [A-Z_]+$/),
      httpStatus: 422,
    })
  })

  it('where the body is larger than 1 MiB, as soon as it is', async () => {
    const answer = { status: 200, text: 'x'.repeat(4 * 1024 * 1024), stop: 'hang' } as const
    expect(await outcomeOf(() => answer)).toMatchObject({ error: 'the answer is unusable: it is too large' })
  })

  it('where the body is compressed without a request for that', async () => {
    const text = new Uint8Array([0x1f, 0x8b, 8, 0, 0])
    const headers = { 'content-encoding': 'gzip' }
    expect(await outcomeOf(() => ({ status: 200, text, headers }))).toMatchObject({ outcome: 'unknown' })
  })
})

describe('the Retry-After of a 429', () => {
  const retryAfter = async (status: number, value: string | string[]) => {
    const call = order()
    supplier().on(call.reference, () => ({ status, headers: { 'retry-after': value } }))
    const outcome = await ask('PUT', call)
    return 'retryAfter' in outcome ? outcome.retryAfter : undefined
  }

  it.each([
    ['7', 7],
    ['86400', 3600],
    ['soon', null],
  ])('of %s is a wait of %s seconds', async (value, seconds) => {
    expect(await retryAfter(429, value)).toBe(seconds)
  })

  it('is not read on another status', async () => {
    expect(await retryAfter(503, '7')).toBeNull()
    expect(await retryAfter(409, '7')).toBeNull()
  })

  it('counts even if the body does not come', async () => {
    const call = order()
    const headers = { 'retry-after': '9' }
    supplier().on(call.reference, () => ({ status: 429, headers, text: 'wait', stop: 'reset' }))
    expect(await ask('PUT', call)).toMatchObject({ outcome: 'unknown', httpStatus: 429, retryAfter: 9 })
  })
})
