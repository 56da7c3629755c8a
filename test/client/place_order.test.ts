import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isRefused, NoAnswerError, RefusedError, UnknownOutcomeError } from '../../src/client/index.ts'
import { apiKey, ok, refusal, type Step, scriptedClient, unavailable } from './scripted_fetch.ts'

const order = {
  externalOrderId: 'shop-1',
  items: [{ productId: 101, quantity: 2, deliveryData: { gameUserId: '12345' } }],
}
const placed = {
  code: 'ord_1',
  externalOrderId: 'shop-1',
  callbackUrl: null,
  items: [
    { productId: 101, amount: 1 },
    { productId: 101, amount: 1 },
  ],
}
const accepted = ok(placed, 201)
const listOf = (...orders: object[]) => ok({ orders, pagination: { nextCursor: null } })

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  )

/** Posts meet one kind of answer, lists and reads of the order the others. */
const byRoute =
  (post: Step, list: Step, read: Step = ok(placed)) =>
  ({ method, url }: { method: string; url: string }): Step =>
    method === 'POST' ? post : url.includes('?') ? list : read

describe('placing an order', () => {
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
    expect(sent.map(({ method, url, body }) => ({ method, url, body }))).toEqual(
      Array(3).fill({
        method: 'POST',
        url: 'https://supply.example/b2b/orders',
        body: JSON.stringify(order),
      }),
    )
    expect(new Set(sent.map(({ headers }) => headers.get('x-idempotency-key')))).toEqual(new Set(['shop-1']))
    expect(new Set(sent.map(({ headers }) => headers.get('x-request-id'))).size).toBe(1)
    expect(new Set(sent.map(({ headers }) => headers.get('x-api-key')))).toEqual(new Set([apiKey]))
  })

  test('repeats after no answer came in time', async () => {
    const { client, sent } = scriptedClient(['hang', accepted], { timeoutMs: 20 })
    expect(await client.placeOrder(order)).toEqual(placed)
    expect(sent).toHaveLength(2)
  })

  test.each([
    ['another key, where one is given', order, { idempotencyKey: 'till 7' }, 'till 7'],
    [
      'no header, where the reference cannot stand in one',
      { ...order, externalOrderId: 'заказ-1' },
      {},
      null,
    ],
    ['no header, where it would lose its spaces', { ...order, externalOrderId: ' 1' }, {}, null],
  ])('sends %s', async (_what, order, options, key) => {
    const { client, sent } = scriptedClient([accepted])
    await client.placeOrder(order, options)
    expect(sent[0]?.headers.get('x-idempotency-key')).toBe(key)
  })

  test('never makes up a key', async () => {
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
  ])('is refused by %i, at once or after a lost answer', async (status, code) => {
    for (const steps of [[refusal(status, code)], ['lost' as const, refusal(status, code)]]) {
      const { client, sent } = scriptedClient(steps)
      const error = await failure(client.placeOrder(order))
      expect(error).toBeInstanceOf(RefusedError)
      expect(error).toMatchObject({ status, code, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
      expect(sent).toHaveLength(steps.length)
    }
  })

  test('waits as long as Retry-After says, and gives up at once where it has not so much time', async () => {
    const answer = refusal(429, 'RATE_LIMITED', { retryAfter: 60 })
    const late: Step = { ...answer, headers: { 'retry-after': '60' } }
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
    ['a page that is none of the service', { status: 200, text: '<html>' }],
    ['a refusal that is none of the service', { status: 404, text: '<html>' }],
  ])('by %s is looked up in the end', async (_what, step) => {
    const { client, sent } = scriptedClient(byRoute(step, listOf(placed)), impatient)
    expect(await client.placeOrder(order)).toEqual(placed)
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://supply.example/b2b/orders',
      'GET https://supply.example/b2b/orders?externalOrderId=shop-1&limit=2',
      'GET https://supply.example/b2b/orders/ord_1',
    ])
  })

  test.each<[string, Step, Step?]>([
    ['nothing is found', listOf()],
    ['two are found', listOf(placed, placed)],
    ['what is found asks for other products', listOf({ ...placed, items: [{ productId: 102, amount: 2 }] })],
    ['what is found tells someone else', listOf({ ...placed, callbackUrl: 'https://shop.example' })],
    ['the look-up is lost', 'lost'],
    ['the reading is lost', listOf(placed), 'lost'],
  ])('stays unknown where %s', async (_what, list, read) => {
    const { client, sent } = scriptedClient(byRoute('lost', list, read), impatient)
    const error = await failure(client.placeOrder(order))
    expect(error).toBeInstanceOf(UnknownOutcomeError)
    expect(error).toMatchObject({ externalOrderId: 'shop-1', idempotencyKey: 'shop-1' })
    expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('under another key than the reference is not looked up by that', async () => {
    const { client, sent } = scriptedClient(byRoute('lost', listOf(placed)), impatient)
    const error = await failure(client.placeOrder(order, { idempotencyKey: 'till 7' }))
    expect(error).toMatchObject({ name: 'UnknownOutcomeError', idempotencyKey: 'till 7' })
    expect(sent).toHaveLength(1)
  })

  test.each<[string, Step]>([
    ['401', { status: 401, json: { error: 'Unauthorized', message: 'no' } }],
    ['403', { status: 403, json: { error: 'Forbidden', message: 'no' } }],
    ['404', refusal(404, 'NOT_FOUND')],
  ])('is not made a refusal by a later %s', async (_what, step) => {
    const { client } = scriptedClient(({ method }, nth) => (nth === 1 && method === 'POST' ? 'lost' : step))
    expect(await failure(client.placeOrder(order))).toBeInstanceOf(UnknownOutcomeError)
    const alone = await failure(scriptedClient([step]).client.placeOrder(order))
    expect(alone).toBeInstanceOf(RefusedError)
  })

  test('is what a caller gets who gives up after a request was sent, and only then', async () => {
    const aborted = AbortSignal.abort(new Error('closing'))
    const { client, sent } = scriptedClient(['hang'])
    await expect(client.placeOrder(order, { signal: aborted })).rejects.toThrow('closing')
    expect(sent).toEqual([])
    const controller = new AbortController()
    const error = failure(client.placeOrder(order, { signal: controller.signal }))
    await expect.poll(() => sent.length).toBe(1)
    controller.abort(new Error('closing'))
    expect(await error).toMatchObject({ name: 'UnknownOutcomeError', cause: { message: 'closing' } })
    expect(sent).toHaveLength(1)
  })

  test('is not leased where all that came was 429', async () => {
    const controller = new AbortController()
    const { client } = scriptedClient([refusal(429, 'RATE_LIMITED')], { onRetry: () => controller.abort() })
    const error = await failure(client.placeOrder(order, { signal: controller.signal }))
    expect(error).toMatchObject({ name: 'AbortError' })
  })
})

describe('the key', () => {
  test('is shown by nothing that the client is, says or throws', async () => {
    const told: unknown[] = []
    const { client } = scriptedClient(['lost', unavailable, refusal(402, 'INSUFFICIENT_BALANCE')], {
      onRetry: (retry) => told.push(retry),
    })
    const error = await failure(client.placeOrder(order))
    const unknown = await failure(scriptedClient(['lost'], { giveUpAfterMs: 0 }).client.placeOrder(order, {}))
    expect(unknown).toBeInstanceOf(NoAnswerError)
    expect(told).toHaveLength(2)
    const shown = [client, error, unknown, told].map((value) => [
      inspect(value, { depth: 9, showHidden: true }),
      JSON.stringify(value),
    ])
    expect(shown.flat().join()).not.toContain(apiKey.slice(9, 30))
  })

  test.each([
    ['https://supply.example', `${apiKey}\nx-other: 1`],
    ['https://supply.example', ''],
    [`https://user:${apiKey}@supply.example`, 'k'],
    [`https://supply.example/?key=${apiKey}`, 'k'],
    [`https://supply.example/#${apiKey}`, 'k'],
    [`ftp://supply.example/${apiKey}`, 'k'],
    [`//${apiKey}`, 'k'],
  ])('is not in what is said of a wrong setting: %s', (baseUrl, apiKey) => {
    let error: unknown
    try {
      scriptedClient([], { baseUrl, apiKey })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(TypeError)
    expect(inspect(error)).not.toContain('0123456789ab')
  })
})
