import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isRefused, NoAnswerError, RefusedError, UnknownOutcomeError } from '../../src/client/index.ts'
import { apiKey, failure, ok, refusal, type Step, scriptedClient, unavailable } from './scripted_fetch.ts'

const order = {
  externalOrderId: 'shop-1',
  items: [{ productId: 101, quantity: 2, deliveryData: { gameUserId: '12345' } }],
}
const placed = {
  ...{ code: 'ord_1', externalOrderId: 'shop-1', callbackUrl: null },
  items: [
    { productId: 101, amount: 1 },
    { productId: 101, amount: 1 },
  ],
}
const accepted = ok(placed, 201)
const listOf = (...orders: object[]) => ok({ orders, pagination: { nextCursor: null } })

/** A POST gets one response; the list and the read of the order get the others. */
const byRoute =
  (post: Step, list: Step, read: Step = ok(placed)) =>
  ({ method, url }: { method: string; url: string }): Step =>
    method === 'POST' ? post : url.includes('?') ? list : read

describe('placeOrder', () => {
  test.each<[string, Step]>([
    ['a lost connection', 'lost'],
    ['500', refusal(500, 'INTERNAL')],
    ['503', unavailable],
    ['502 of a proxy', { status: 502, text: '<html>' }],
    ['429', refusal(429, 'RATE_LIMITED', { retryAfter: 0 })],
    ['408', refusal(408, 'REQUEST_TIMEOUT')],
  ])('repeats the same bytes under the same key after %s', async (_what, step) => {
    const { client, sent } = scriptedClient([step, step, accepted])
    expect(await client.placeOrder(order)).toEqual(placed)
    const [url, body] = ['https://supply.example/b2b/orders', JSON.stringify(order)]
    const names = ['x-idempotency-key', 'x-api-key', 'x-request-id']
    const requests = sent.map(({ headers, ...request }) => [request, ...names.map((name) => headers.get(name))])
    const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(requests[0]).toEqual([{ method: 'POST', url, body }, 'shop-1', apiKey, requestId])
    expect(requests).toEqual(Array(3).fill(requests[0]))
  })

  test('repeats after no response arrived in time', async () => {
    const { client, sent } = scriptedClient(['hang', accepted], { timeoutMs: 20 })
    expect(await client.placeOrder(order)).toEqual(placed)
    expect(sent).toHaveLength(2)
  })

  test.each([
    ['the key that is given', order, { idempotencyKey: 'shop 7' }, 'shop 7'],
    ['no header for a reference outside ASCII', { ...order, externalOrderId: 'заказ-1' }, {}, null],
    ['no header for a reference that would lose its spaces', { ...order, externalOrderId: ' 1' }, {}, null],
  ])('sends %s', async (_what, order, options, key) => {
    const { client, sent } = scriptedClient([accepted])
    await client.placeOrder(order, options)
    expect(sent[0]?.headers.get('x-idempotency-key')).toBe(key)
  })

  test('never invents a key', async () => {
    const { client, sent } = scriptedClient([accepted])
    await expect(client.placeOrder({ ...order, externalOrderId: '' })).rejects.toThrow(TypeError)
    await expect(client.placeOrder(order, { idempotencyKey: 'ключ' })).rejects.toThrow(TypeError)
    expect(sent).toEqual([])
  })

  test.each([
    [400, 'VALIDATION_ERROR'],
    [402, 'INSUFFICIENT_BALANCE'],
    [409, 'IDEMPOTENCY_KEY_REUSED'],
    [422, 'PRODUCT_UNAVAILABLE'],
  ])('is refused by %i, also after a lost response', async (status, code) => {
    for (const steps of [[refusal(status, code)], ['lost' as const, refusal(status, code)]]) {
      const { client, sent } = scriptedClient(steps)
      const error = await failure(client.placeOrder(order))
      expect(error).toBeInstanceOf(RefusedError)
      expect(error).toMatchObject({ status, code, requestId: sent[0]?.headers.get('x-request-id') })
      expect(sent).toHaveLength(steps.length)
    }
  })

  test('gives up at once if Retry-After is longer than the time that is left', async () => {
    const late: Step = { ...refusal(429, 'RATE_LIMITED', { retryAfter: 60 }), headers: { 'retry-after': '60' } }
    const { client, sent } = scriptedClient([late], { giveUpAfterMs: 30_000 })
    const error = await failure(client.placeOrder(order))
    expect(isRefused(error, 'RATE_LIMITED') && error.body.retryAfter).toBe(60)
    expect(sent).toHaveLength(1)
  })
})

describe('an unknown outcome', () => {
  const impatient = { giveUpAfterMs: 0 }

  test.each<[string, Step]>([
    ['a lost connection', 'lost'],
    ['503', unavailable],
    ['a redirect', { status: 301, headers: { location: 'https://elsewhere.example' } }],
    ['a page of another program', { status: 200, text: '<html>' }],
    ['a 404 of another program', { status: 404, text: '<html>' }],
  ])('after %s is resolved by a look-up', async (_what, step) => {
    const { client, sent } = scriptedClient(byRoute(step, listOf(placed)), impatient)
    expect(await client.placeOrder(order)).toEqual(placed)
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://supply.example/b2b/orders',
      'GET https://supply.example/b2b/orders?externalOrderId=shop-1&limit=2',
      'GET https://supply.example/b2b/orders/ord_1',
    ])
  })

  test.each<[string, Step, Step?]>([
    ['the look-up finds nothing', listOf()],
    ['the look-up finds two', listOf(placed, placed)],
    ['the order found has other products', listOf({ ...placed, items: [{ productId: 102, amount: 2 }] })],
    ['the order found has another callbackUrl', listOf({ ...placed, callbackUrl: 'https://shop.example' })],
    ['the look-up is lost', 'lost'],
    ['the read is lost', listOf(placed), 'lost'],
  ])('stays unknown if %s', async (_what, list, read) => {
    const { client, sent } = scriptedClient(byRoute('lost', list, read), impatient)
    const error = await failure(client.placeOrder(order))
    expect(error).toBeInstanceOf(UnknownOutcomeError)
    expect(error).toMatchObject({
      ...{ externalOrderId: 'shop-1', idempotencyKey: 'shop-1' },
      message: 'it is unknown whether order "shop-1" was placed (https://supply.example: read ECONNRESET)',
    })
    expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('is not looked up by the reference if another key was given', async () => {
    const { client, sent } = scriptedClient(byRoute('lost', listOf(placed)), impatient)
    const error = await failure(client.placeOrder(order, { idempotencyKey: 'shop 7' }))
    expect(error).toMatchObject({ name: 'UnknownOutcomeError', idempotencyKey: 'shop 7' })
    expect(sent).toHaveLength(1)
  })

  test.each<[string, Step]>([
    ['401', { status: 401, json: { error: 'Unauthorized', message: 'no' } }],
    ['403', { status: 403, json: { error: 'Forbidden', message: 'no' } }],
    ['404', refusal(404, 'NOT_FOUND')],
  ])('does not become a refusal by a later %s', async (_what, step) => {
    const { client } = scriptedClient(({ method }, nth) => (nth === 1 && method === 'POST' ? 'lost' : step))
    expect(await failure(client.placeOrder(order))).toBeInstanceOf(UnknownOutcomeError)
    expect(await failure(scriptedClient([step]).client.placeOrder(order))).toBeInstanceOf(RefusedError)
  })

  test('is thrown to a caller who aborts after a request was sent, and not before', async () => {
    const { client, sent } = scriptedClient(['hang'])
    const aborted = AbortSignal.abort(new Error('closing'))
    await expect(client.placeOrder(order, { signal: aborted })).rejects.toThrow('closing')
    expect(sent).toEqual([])
    const controller = new AbortController()
    const error = failure(client.placeOrder(order, { signal: controller.signal }))
    await expect.poll(() => sent.length).toBe(1)
    controller.abort(new Error('closing'))
    expect(await error).toMatchObject({ name: 'UnknownOutcomeError', cause: { message: 'closing' } })
    expect(sent).toHaveLength(1)
  })

  test('is not claimed if every response was 429', async () => {
    const controller = new AbortController()
    const { client } = scriptedClient([refusal(429, 'RATE_LIMITED')], { onRetry: () => controller.abort() })
    const error = await failure(client.placeOrder(order, { signal: controller.signal }))
    expect(error).toMatchObject({ name: 'AbortError' })
  })
})

test('a simulated order is repeated with its key, and never looked up', async () => {
  const { client, sent } = scriptedClient(['lost', ok({ code: 'sim_1' }, 201)])
  const order = { externalOrderId: 'simulated', items: [] }
  await client.simulateOrder(order)
  expect(sent.map(({ method, url, headers }) => [method, url, headers.get('x-idempotency-key')])).toEqual(
    Array(2).fill(['POST', 'https://supply.example/simulation/orders', 'simulated']),
  )
  const lost = scriptedClient(['lost'], { giveUpAfterMs: 0 })
  await expect(lost.client.simulateOrder(order)).rejects.toThrow(NoAnswerError)
  expect(lost.sent).toHaveLength(1)
})

test('neither the client, nor its errors, nor onRetry show the key', async () => {
  const shown: unknown[] = []
  const onRetry = (retry: unknown) => shown.push(retry)
  const { client } = scriptedClient(['lost', unavailable, refusal(402, 'INSUFFICIENT_BALANCE')], { onRetry })
  shown.push(client, await failure(client.placeOrder(order)))
  shown.push(await failure(scriptedClient(['lost'], { giveUpAfterMs: 0 }).client.placeOrder(order)))
  expect(shown).toHaveLength(5)
  const texts = shown.map((value) => inspect(value, { depth: 9, showHidden: true }) + JSON.stringify(value))
  expect(texts.join()).not.toContain(apiKey.slice(9, 30))
})
