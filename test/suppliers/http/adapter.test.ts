import { describe, expect, it } from 'vitest'
import { createAdapters } from '../../../src/suppliers/adapters.ts'
import type { ScriptedSupplier } from '../../support/servers/scripted_supplier.ts'
import { type AskOptions, httpAdapters, methods } from '../harness.ts'

const { supplier, adapters, order, ask } = httpAdapters()

describe('the adapters', () => {
  it('know the protocols that have one, and no other', () => {
    for (const protocol of ['http', 'b2b']) expect(adapters().adapterFor(protocol)).toBeDefined()
    for (const protocol of ['', 'HTTP', 'smtp', 'constructor', '__proto__']) {
      expect(adapters().adapterFor(protocol)).toBeUndefined()
    }
  })

  it('answer calls under way with unknown when they are closed', async () => {
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

describe('a PUT', () => {
  it('sends the order with the token, and returns what the supplier said', async () => {
    const call = order()
    supplier().on(call.reference, () => ({ status: 201, json: { status: 'completed', codes: ['A', 'B'] } }))
    expect(await ask('PUT', call)).toEqual({
      outcome: 'answered',
      status: 'completed',
      codes: ['A', 'B'],
      errorCode: null,
      reason: null,
      supplierOrderId: null,
      httpStatus: 201,
    })
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

  it('that is refused returns the reason', async () => {
    const call = order()
    const json = { errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден' }
    supplier().on(call.reference, () => ({ status: 422, json }))
    expect(await ask('PUT', call)).toMatchObject({ ...json, outcome: 'answered', status: 'failed', httpStatus: 422 })
  })
})

describe('a GET', () => {
  it('sends the token and no body, and returns what the supplier said', async () => {
    const call = order()
    supplier().on(call.reference, () => ({ status: 200, json: { status: 'failed', errorCode: 'X' } }))
    expect(await ask('GET', call)).toMatchObject({ outcome: 'answered', status: 'failed', errorCode: 'X' })
    const [request] = supplier().requestsFor(call.reference)
    expect(request).toMatchObject({ method: 'GET', path: `/orders/${call.reference}`, rawBody: '' })
    expect(request?.headers.authorization).toBe('Bearer a-token-of-nobody')
    expect(request?.headers).not.toHaveProperty('content-length')
  })

  it('of what the supplier never received returns that', async () => {
    const call = order()
    supplier().on(call.reference, () => ({ status: 404, json: {} }))
    expect(await ask('GET', call)).toEqual({ outcome: 'not_received' })
  })
})

describe('the base URL', () => {
  it.each([
    ['/', '/orders/'],
    ['/api/v2', '/api/v2/orders/'],
    ['/api/v2/', '/api/v2/orders/'],
    ['/api/v2//', '/api/v2/orders/'],
  ])('may end in %s', async (ending, path) => {
    const call = order({ baseUrl: `${supplier().url}${ending}` })
    await ask('PUT', call)
    await ask('GET', call)
    expect(
      supplier()
        .requestsFor(call.reference)
        .map((r) => r.path),
    ).toEqual([`${path}${call.reference}`, `${path}${call.reference}`])
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

  it('after a 401, and has the body without the token', async () => {
    expect(await outcomeOf(() => ({ status: 401, text: 'a-token-of-nobody is wrong' }))).toEqual({
      ...{ outcome: 'unknown', error: 'HTTP 401', httpStatus: 401, retryAfter: null },
      raw: '[token] is wrong',
    })
  })

  it('after a 101 that nobody asked for', async () => {
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

  it('where the body is compressed, which nobody asked for', async () => {
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
