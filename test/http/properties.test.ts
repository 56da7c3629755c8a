import fc from 'fast-check'
import { expect, test } from 'vitest'
import { httpTests } from '../support/http_tests.ts'
import { operations } from '../support/openapi/document.ts'
import { audit, balanceOf } from '../support/orders.ts'
import { products } from '../support/partner.ts'
import { type Answer, exchangeRaw } from '../support/service.ts'

const { api, sql, partner, post } = httpTests({
  each: true,
  partner: { balance: 100_000 },
  times: { headersMs: 500, requestMs: 1_000 },
})

const numRuns = 100

/** Any value that JSON can express, with the texts and numbers that tend to break things. */
const nasty = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom('', '\u0000', '\ud800', '=1+1', '__proto__', 'x'.repeat(300), '٣', '1e5', ' '),
  fc.constantFrom(0, -0, -1, 1e300, 5e-324, 2 ** 31, 2 ** 53, 1.5, Number.MAX_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary' }),
)

/** Mostly what is right, now and then something nasty. */
const mostly = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof<fc.WeightedArbitrary<unknown>[]>({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: nasty })

const item = fc.record(
  {
    productId: mostly(fc.constantFrom(products.topUp, products.key, products.expensive)),
    quantity: mostly(fc.integer({ min: 1, max: 3 })),
    deliveryData: fc.oneof<fc.WeightedArbitrary<unknown>[]>(
      { weight: 12, arbitrary: fc.constant({ gameUserId: '1' }) },
      { weight: 1, arbitrary: fc.dictionary(fc.string({ unit: 'binary' }), nasty, { maxKeys: 4 }) },
      { weight: 1, arbitrary: nasty },
    ),
    maxPrice: mostly(fc.constant(null)),
  },
  { requiredKeys: ['productId', 'deliveryData'] },
)

const orderBody = fc.record(
  {
    externalOrderId: mostly(fc.uuid()),
    items: mostly(fc.array(item, { minLength: 1, maxLength: 4 })),
    callbackUrl: mostly(fc.constantFrom(null, 'https://partner.example/hook')),
    maxTotal: mostly(fc.constant(null)),
    extra: nasty,
  },
  { requiredKeys: ['externalOrderId', 'items'] },
)

const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
  maxLength: 300,
})

/** An answer is always one of ours: no 5xx, JSON in the documented envelope, with its request id. */
function expectAnswer(answer: Answer): void {
  expect(answer.status).toBeLessThan(500)
  expect(answer.headers['x-request-id']).toBeDefined()
  if (answer.status >= 400 && answer.text !== '') {
    expect(typeof answer.json.error).toBe('string')
    expect(answer.json.success === false || typeof answer.json.message === 'string').toBe(true)
  }
}

test('any body of an order is answered, and charged only if it is accepted', async () => {
  let spent = 0
  await fc.assert(
    fc.asyncProperty(orderBody, fc.option(headerValue, { nil: undefined, freq: 4 }), async (body, idempotencyKey) => {
      const headers: Record<string, string> =
        idempotencyKey === undefined ? {} : { 'x-idempotency-key': idempotencyKey }
      const answer = await post('/b2b/orders', body, headers)
      expectAnswer(answer)
      if (answer.status === 201) spent += answer.json.data.totalAmount
      else expect([200, 400, 402, 409, 422]).toContain(answer.status)
    }),
    { numRuns },
  )
  expect(spent).toBeGreaterThan(0)
  expect(await balanceOf(sql(), partner())).toBeCloseTo(100_000 - spent, 2)
  expect(await audit(sql())).toEqual([])
})

test('any request is answered', async () => {
  const documented = operations.map(({ path }) => path)
  const segment = fc.oneof(
    fc.constantFrom(...documented.flatMap((path) => path.split('/').slice(1))),
    fc.webPath(),
    fc.constantFrom('%00', '%zz', '..', '%2e%2e', 'ord_1', '101', '*', ':code', '{x}', '%ff%fe'),
  )
  const path = fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
  const known = fc.constantFrom(...documented).map((path) => path.replaceAll(/\{\w+\}/g, 'space-trader'))
  const parameters = operations.flatMap(({ operation }) => operation.parameters ?? [])
  // A request that waits for results gets no answer until then.
  const names = parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'wait')
  const name = fc.constantFrom(...names.map(({ name }) => name))
  const query = fc
    .array(
      fc.tuple(
        name,
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.nat().map(String),
          fc.date({ noInvalidDate: true }).map((d) => d.toISOString()),
        ),
      ),
      { maxLength: 4 },
    )
    .map((pairs) => new URLSearchParams(pairs).toString())
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')
  const header = fc.constantFrom(
    'origin',
    'accept',
    'if-none-match',
    'x-forwarded-for',
    'x-request-id',
    'content-type',
    'x-supplier-timestamp',
    'x-supplier-signature',
  )
  await fc.assert(
    fc.asyncProperty(
      method,
      fc.oneof(path, known),
      query,
      fc.dictionary(header, headerValue, { maxKeys: 3 }),
      fc.boolean(),
      async (verb, where, what, headers, withKey) => {
        const key = withKey ? partner().key : undefined
        expectAnswer(await api().send(verb, `${where}?${what}`, { key, headers }))
      },
    ),
    { numRuns },
  )
})

test('any bytes as a body are answered, and nothing is charged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('/b2b/orders', '/b2b/orders/quote', '/suppliers/first/results'),
      async (body, path) => {
        const answer = await post(path, body)
        expectAnswer(answer)
        expect([400, 401]).toContain(answer.status)
      },
    ),
    { numRuns: numRuns / 2 },
  )
  expect(await balanceOf(sql(), partner())).toBe(100_000)
})

test('any bytes over a connection close it in time, and the next connection is served', async () => {
  const line = fc.oneof(
    fc.constantFrom(
      'GET / HTTP/1.1',
      'Host: x',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      'POST /b2b/orders HTTP/1.1',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
      const response = await exchangeRaw(api().port, `${lines.join('\r\n')}\r\n\r\nConnection: close\r\n\r\n`)
      for (const [, status] of response.matchAll(/^HTTP\/1\.1 (\d+)/gm)) expect(Number(status)).toBeLessThan(500)
    }),
    { numRuns: 30 },
  )
  expect((await api().get('/livez')).status).toBe(200)
})
