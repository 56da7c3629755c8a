import { describe, expect, test } from 'vitest'
import { isRefused, NoAnswerError } from '../../src/client/index.ts'
import { errorNames, errorOf } from '../../src/http/errors.ts'
import { ok, refusal, scriptedClient, unavailable } from './scripted_fetch.ts'

describe('the address of a request', () => {
  test.each([
    ['https://supply.example', 'https://supply.example/b2b/balance'],
    ['https://supply.example/', 'https://supply.example/b2b/balance'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/b2b/balance'],
    ['https://proxy.example/partners/supply', 'https://proxy.example/partners/supply/b2b/balance'],
    ['https://proxy.example/partners/supply/', 'https://proxy.example/partners/supply/b2b/balance'],
  ])('keeps the prefix of %s', async (baseUrl, address) => {
    const { client, sent } = scriptedClient([ok({ balance: 1 })], { baseUrl })
    await client.balance()
    expect(sent[0]?.url).toBe(address)
  })

  test('has what is given escaped, and nothing for what is not', async () => {
    const { client, sent } = scriptedClient([ok([])])
    await client.products('a/../b?c', { deliveryType: 'id only&x', updatedSince: undefined })
    await client.order('../balance')
    expect(sent.map(({ url }) => url)).toEqual([
      'https://supply.example/b2b/catalog/games/a%2F..%2Fb%3Fc/products?deliveryType=id+only%26x',
      'https://supply.example/b2b/orders/..%2Fbalance',
    ])
  })

  test.each(['', '.', '..'])('is never another one, as where a code is %j', async (code) => {
    const { client, sent } = scriptedClient([ok({})])
    await expect(client.order(code)).rejects.toThrow(TypeError)
    await expect(client.timeline(code)).rejects.toThrow(TypeError)
    await expect(client.products(code)).rejects.toThrow(TypeError)
    await expect(client.redeliver(code)).rejects.toThrow(TypeError)
    expect(sent).toEqual([])
  })
})

describe('reading', () => {
  test('is repeated while there is no answer, and says so', async () => {
    const retries: string[] = []
    const { client, sent } = scriptedClient(['lost', unavailable, ok({ balance: 7 })], {
      onRetry: ({ attempt, error }) => retries.push(`${attempt} ${error.message}`),
    })
    expect(await client.balance()).toEqual({ balance: 7 })
    expect(sent).toHaveLength(3)
    expect(retries).toEqual(['1 the connection failed', '2 an answer 503 that decides nothing'])
  })

  test('ends with NoAnswerError, or the reason of the signal', async () => {
    const { client } = scriptedClient(['hang'], { giveUpAfterMs: 0, timeoutMs: 20 })
    await expect(client.balance()).rejects.toThrow(NoAnswerError)
    await expect(client.balance()).rejects.toThrow('no answer within 20 ms')
    const reason = new Error('closing')
    await expect(client.balance({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const late = new AbortController()
    const read = client.balance({ signal: late.signal, timeoutMs: 60_000 })
    late.abort(reason)
    await expect(read).rejects.toBe(reason)
  })

  test('goes from page to page by the cursor', async () => {
    const { client, sent } = scriptedClient(({ url }) =>
      url.includes('cursor=two')
        ? ok({ orders: [{ code: 'c' }], pagination: { nextCursor: null } })
        : ok({ orders: [{ code: 'a' }, { code: 'b' }], pagination: { nextCursor: 'two' } }),
    )
    const codes: string[] = []
    for await (const { code } of client.orders({ status: 'processing' })) codes.push(code)
    expect(codes).toEqual(['a', 'b', 'c'])
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=100&status=processing',
      'limit=100&status=processing&cursor=two',
    ])
  })

  test('of results goes on after the last one, pauses after none, and ends with the signal or where there are no more', async () => {
    const page = (first: number, last: number, hasMore: boolean) => {
      const results = Array.from({ length: last - first + 1 }, (_, index) => ({ seq: first + index }))
      return ok({ results, nextAfter: last, lastSeq: 9, hasMore })
    }
    const steps = [page(5, 6, true), page(7, 7, false), page(8, 7, false), page(8, 8, false)]
    const waiting = scriptedClient([...steps, 'lost'], { giveUpAfterMs: 0 })
    const seen: number[] = []
    const reading = async () => {
      for await (const { seq } of waiting.client.results({ after: 4 })) seen.push(seq)
    }
    await expect(reading()).rejects.toThrow(NoAnswerError)
    expect(seen).toEqual([5, 6, 7, 8])
    expect(waiting.sent.map(({ url }) => new URL(url).search)).toEqual(
      [4, 6, 7, 7, 8].map((after) => `?limit=100&after=${after}&wait=30`),
    )
    const draining = scriptedClient(steps)
    for await (const { seq } of draining.client.results({ after: 4, wait: 0 })) seen.push(seq)
    expect(seen).toEqual([5, 6, 7, 8, 5, 6, 7])
    const none = waiting.client.results({}, { signal: AbortSignal.abort(new Error('closing')) })
    await expect(none.next()).rejects.toThrow('closing')
  })

  test('of a simulated order keeps its key, and looks nothing up', async () => {
    const { client, sent } = scriptedClient(['lost', ok({ code: 'sim_1' }, 201)])
    await client.simulateOrder({ externalOrderId: 'a try', items: [] })
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array(2).fill('POST https://supply.example/simulation/orders'),
    )
    expect(sent.map(({ headers }) => headers.get('x-idempotency-key'))).toEqual(['a try', 'a try'])
    const lost = scriptedClient(['lost'], { giveUpAfterMs: 0 })
    await expect(lost.client.simulateOrder({ externalOrderId: 'a try', items: [] })).rejects.toThrow(
      NoAnswerError,
    )
    expect(lost.sent).toHaveLength(1)
  })

  test('has an event sent again no more often than it is asked to', async () => {
    const { client, sent } = scriptedClient([unavailable])
    await expect(client.redeliver('e/1')).rejects.toThrow(NoAnswerError)
    expect(sent.map(({ url }) => url)).toEqual(['https://supply.example/b2b/events/e%2F1/redeliver'])
  })

  test('follows no redirect, which would carry the key away', async () => {
    const { client, sent } = scriptedClient([
      { status: 302, headers: { location: 'https://elsewhere.example' } },
    ])
    await expect(client.balance()).rejects.toThrow('an answer 302 that decides nothing')
    expect(sent).toHaveLength(1)
  })
})

describe('a refusal', () => {
  test('has the body that belongs to its code', async () => {
    const details = { balance: 1, required: 2.5, currency: 'RUB' }
    const { client } = scriptedClient([refusal(402, 'INSUFFICIENT_BALANCE', { details })])
    const error = await client.balance().catch((error: unknown) => error)
    expect(isRefused(error)).toBe(true)
    expect(isRefused(error, 'PRICE_CHANGED')).toBe(false)
    expect(isRefused(error, 'INSUFFICIENT_BALANCE') && error.body.details.required).toBe(2.5)
    expect(isRefused(new Error('no'))).toBe(false)
  })

  // What a partner never meets: it is for suppliers, or means the same as UNAUTHORIZED.
  const others = ['BAD_SIGNATURE', 'DOCS_PASSWORD', 'UNKNOWN_REFERENCE']

  test.each(errorNames.filter((name) => errorOf(name).status < 500 && !others.includes(name)))(
    'is told by its code: %s',
    async (name) => {
      const { status, body } = errorOf(name, name === 'RATE_LIMITED' ? { retryAfter: 1 } : {})
      const expected = status === 401 ? 'UNAUTHORIZED' : status === 403 ? 'FORBIDDEN' : Object(body).code
      const { client } = scriptedClient([{ status, json: body }], { giveUpAfterMs: 0 })
      const error = await client.balance().catch((error: unknown) => error)
      expect(error).toMatchObject({ name: 'RefusedError', status, code: expected, body })
    },
  )
})
