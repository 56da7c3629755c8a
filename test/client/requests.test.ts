import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isRefused, NoAnswerError, SupplyClient } from '../../src/client/index.ts'
import { errorNames, errorOf } from '../../src/http/errors.ts'
import { freePort } from '../support/servers/free_port.ts'
import { apiKey, failure, ok, refusal, scriptedClient, unavailable } from './scripted_fetch.ts'

describe('the settings', () => {
  test.each([
    ['https://supply.example', 'https://supply.example/b2b/balance'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000/b2b/balance'],
    ['https://proxy.example/partners/supply', 'https://proxy.example/partners/supply/b2b/balance'],
    ['https://proxy.example/partners/supply/', 'https://proxy.example/partners/supply/b2b/balance'],
  ])('a request keeps the prefix of the address %s', async (baseUrl, address) => {
    const { client, sent } = scriptedClient([ok({ balance: 1 })], { baseUrl })
    await client.balance()
    expect(sent[0]?.url).toBe(address)
  })

  test.each([
    ['https://supply.example', undefined, 'needs an apiKey'],
    ['https://supply.example', '', 'needs an apiKey'],
    [undefined, apiKey, 'needs a baseUrl'],
    ['supply.example', apiKey, 'the baseUrl is not a URL'],
    ['https://supply.example', `${apiKey}\nx-other: 1`, 'the apiKey has characters that no key has'],
    [`https://user:${apiKey}@supply.example`, 'k', 'the baseUrl contains credentials'],
    [`https://supply.example/?key=${apiKey}`, 'k', 'the baseUrl has a query or a fragment'],
    [`https://supply.example/#${apiKey}`, 'k', 'the baseUrl has a query or a fragment'],
    [`ftp://supply.example/${apiKey}`, 'k', 'the baseUrl is not http or https'],
    [`//${apiKey}`, 'k', 'the baseUrl is not a URL'],
  ])('the address %s with the key %s is refused in a sentence without the key', (baseUrl, apiKey, text) => {
    const make = () => new SupplyClient({ baseUrl, apiKey })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(text)
    let error: unknown
    try {
      make()
    } catch (thrown) {
      error = thrown
    }
    expect(inspect(error).split('\n')[0]).not.toContain('0123456789ab')
  })
})

describe('the address of a request', () => {
  test('values are escaped, and absent values are left out', async () => {
    const { client, sent } = scriptedClient([ok([])])
    await client.products('a/../b?c', { deliveryType: 'id only&x', updatedSince: undefined })
    await client.order('../balance')
    expect(sent.map(({ url }) => url)).toEqual([
      'https://supply.example/b2b/catalog/games/a%2F..%2Fb%3Fc/products?deliveryType=id+only%26x',
      'https://supply.example/b2b/orders/..%2Fbalance',
    ])
  })

  test.each(['', '.', '..'])('a code %j, which would lead elsewhere, is not sent', async (code) => {
    const { client, sent } = scriptedClient([ok({})])
    const calls = [client.order(code), client.timeline(code), client.products(code), client.redeliver(code)]
    for (const call of calls) await expect(call).rejects.toThrow(TypeError)
    expect(sent).toEqual([])
  })
})

describe('a read', () => {
  test('is repeated until there is a response, and onRetry gets each cause', async () => {
    const retries: string[] = []
    const { client, sent } = scriptedClient(['lost', unavailable, ok({ balance: 7 })], {
      onRetry: ({ attempt, error }) => retries.push(`${attempt} ${error.message}`),
    })
    expect(await client.balance()).toEqual({ balance: 7 })
    expect(sent).toHaveLength(3)
    const address = 'https://supply.example'
    expect(retries).toEqual([`1 ${address}: read ECONNRESET`, `2 ${address}: HTTP 503, no`])
  })

  test('ends with a NoAnswerError that names address and cause, or with the reason of the signal', async () => {
    const { client } = scriptedClient(['hang'], { giveUpAfterMs: 0, timeoutMs: 20 })
    const error = await failure(client.balance())
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(error).toMatchObject({ message: 'https://supply.example: no response within 20 ms' })
    const reason = new Error('closing')
    await expect(client.balance({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const late = new AbortController()
    const read = client.balance({ signal: late.signal, timeoutMs: 60_000 })
    late.abort(reason)
    await expect(read).rejects.toBe(reason)
  })

  test('a real refused connection is named by its address and port', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`
    const client = new SupplyClient({ baseUrl, apiKey, giveUpAfterMs: 0 })
    await expect(client.balance()).rejects.toThrow(`${baseUrl}: connect ECONNREFUSED`)
  })

  test.each([
    ['orders', { status: 'processing' }, 'limit=100&status=processing'],
    ['events', { state: 'dead' }, 'limit=100&state=dead'],
    ['transactions', { from: '2026-01-01' }, 'limit=100&from=2026-01-01'],
    ['catalog', { updatedSince: '2026-01-01' }, 'limit=1000&updatedSince=2026-01-01'],
  ] as const)('%s follows the cursor from page to page', async (method, query, address) => {
    const name = method === 'catalog' ? 'products' : method
    const { client, sent } = scriptedClient(({ url }) =>
      url.includes('cursor=two')
        ? ok({ [name]: ['c'], pagination: { nextCursor: null } })
        : ok({ [name]: ['a', 'b'], pagination: { nextCursor: 'two' } }),
    )
    const read: unknown[] = []
    for await (const item of client[method](query as object)) read.push(item)
    expect(read).toEqual(['a', 'b', 'c'])
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual([address, `${address}&cursor=two`])
  })

  test('results go on after the last one, pause when there is none, and end with the signal or where there are no more', async () => {
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

  test('a redirect is not followed, because it would carry the key away', async () => {
    const headers = { location: 'https://elsewhere.example' }
    const { client, sent } = scriptedClient([{ status: 302, headers }])
    await expect(client.balance()).rejects.toThrow('HTTP 302, not a response of this service')
    expect(sent).toHaveLength(1)
  })
})

test('redeliveries are not repeated', async () => {
  const { client, sent } = scriptedClient([unavailable])
  await expect(client.redeliver('e/1')).rejects.toThrow(NoAnswerError)
  await expect(client.redeliverDead({ since: '2026-01-01' })).rejects.toThrow(NoAnswerError)
  expect(sent.map(({ url, body }) => [url, body])).toEqual([
    ['https://supply.example/b2b/events/e%2F1/redeliver', '{}'],
    ['https://supply.example/b2b/events/redeliver', '{"state":"dead","since":"2026-01-01"}'],
  ])
})

describe('a refusal', () => {
  test.each([
    [{ balance: 1, required: 2.5, currency: 'RUB' }, ' (balance 1; required 2.5; currency RUB)'],
    [[{ path: 'limit', message: 'is too large' }], ' (limit is too large)'],
    [[], ''],
    [undefined, ''],
  ])('shows its details %j in its message', async (details, text) => {
    const { client } = scriptedClient([refusal(402, 'INSUFFICIENT_BALANCE', { details })])
    await expect(client.balance()).rejects.toThrow(`402 INSUFFICIENT_BALANCE: no${text}`)
  })

  test('has the body that belongs to its code', async () => {
    const details = { balance: 1, required: 2.5, currency: 'RUB' }
    const error = await failure(scriptedClient([refusal(402, 'INSUFFICIENT_BALANCE', { details })]).client.balance())
    expect(isRefused(error)).toBe(true)
    expect(isRefused(error, 'PRICE_CHANGED')).toBe(false)
    expect(isRefused(error, 'INSUFFICIENT_BALANCE') && error.body.details.required).toBe(2.5)
    expect(isRefused(new Error('no'))).toBe(false)
  })

  // Partners never get these: they are for suppliers, or mean the same as UNAUTHORIZED.
  const others = ['BAD_SIGNATURE', 'DOCS_PASSWORD', 'UNKNOWN_REFERENCE']

  test.each(errorNames.filter((name) => errorOf(name).status < 500 && !others.includes(name)))(
    '%s of the service is a RefusedError with its code',
    async (name) => {
      const { status, body } = errorOf(name, name === 'RATE_LIMITED' ? { retryAfter: 1 } : {})
      const code = status === 401 ? 'UNAUTHORIZED' : status === 403 ? 'FORBIDDEN' : Object(body).code
      const { client } = scriptedClient([{ status, json: body }], { giveUpAfterMs: 0 })
      expect(await failure(client.balance())).toMatchObject({ name: 'RefusedError', status, code, body })
    },
  )
})
