import fc from 'fast-check'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { orderRequest, quoteRequest, simulationRequest } from '../../../src/http/schemas.ts'
import { testDatabase } from '../../support/database.ts'
import { operations } from '../../support/openapi/document.ts'
import { faultsOf } from '../../support/openapi/fits.ts'
import { makePartner } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'

// Plain texts: JSON Schema counts characters otherwise than JavaScript, and cannot forbid U+0000.
const text = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', ' ') })
const long = fc.constantFrom(64, 65, 128, 129, 256, 257).map((length) => 'x'.repeat(length))
const anything = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 2_147_483_647, 2_147_483_648, 1e15, [], {}, ''),
  text,
  long,
)
const mostly = <T>(good: fc.Arbitrary<T>) => fc.oneof({ weight: 12, arbitrary: good }, anything)
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const deliveryData = fc.oneof(
  fc.dictionary(fc.oneof(text, long), anything, { maxKeys: 3 }),
  fc.constantFrom(20, 21).map((size) => Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, 1]))),
)
const item = fc.record({
  productId: mostly(fc.integer()),
  quantity: sometimes(mostly(fc.integer({ min: 1, max: 9 }))),
  deliveryData: sometimes(mostly(deliveryData)),
  maxPrice: sometimes(mostly(fc.constantFrom(0, 10.5, 1e9))),
})
const items = fc.oneof(
  { weight: 12, arbitrary: fc.array(mostly(item), { minLength: 1, maxLength: 2 }) },
  fc.constantFrom(0, 50, 51).map((length) => Array.from({ length }, () => ({ productId: 1 }))),
)
const order = fc.record(
  {
    items: mostly(items),
    externalOrderId: mostly(text.filter((value) => value !== '')),
    callbackUrl: sometimes(mostly(fc.webUrl())),
    maxTotal: sometimes(mostly(fc.constantFrom(0, 10.5))),
  },
  { requiredKeys: [] },
)
const simulation = fc.record(
  {
    callbackUrl: mostly(fc.webUrl()),
    eventType: mostly(fc.constantFrom('order.completed', 'order.failed')),
    orderCode: sometimes(mostly(fc.constantFrom('ord_1', 'a b'))),
  },
  { requiredKeys: [] },
)

describe('a body', () => {
  test.each([
    { name: 'OrderRequest', schema: orderRequest, bodies: order },
    { name: 'QuoteRequest', schema: quoteRequest, bodies: order },
    { name: 'SimulationRequest', schema: simulationRequest, bodies: simulation },
  ])('that fits $name of the document is taken, and no other', ({ name, schema, bodies }) => {
    const verdicts = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(bodies, (given) => {
        const body = JSON.parse(JSON.stringify(given))
        const taken = v.is(schema, body)
        verdicts[taken ? 'taken' : 'refused'] += 1
        expect({ body, taken }).toEqual({ body, taken: faultsOf(body, 'components', 'schemas', name).length === 0 })
      }),
      { numRuns: 2_000 },
    )
    // A test of one verdict alone would prove nothing.
    expect(Math.min(verdicts.taken, verdicts.refused)).toBeGreaterThan(100)
  })
})

describe('a query parameter', () => {
  const database = testDatabase({ catalog: true })
  const api = testApi(() => database.url)
  let key = ''
  beforeAll(async () => {
    key = (await makePartner(database.sql)).key
  })

  const parameters = operations.flatMap(({ path, operation }) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema }) => ({ name, schema, path: path.replace('{slug}', 'space-trader') })),
  )
  // Who is ahead of the results does not wait for any.
  const atOnce = '&after=1'
  const status = async (path: string, name: string, value: unknown) => {
    const query = `${name}=${encodeURIComponent(String(value))}${name === 'wait' ? atOnce : ''}`
    return (await api().get(`${path}?${query}`, { key })).status
  }

  test('is documented with a meaning', () => {
    expect(parameters.length).toBeGreaterThan(10)
    const all = operations.flatMap(({ operation }) => operation.parameters ?? [])
    expect(all.filter(({ description = '' }) => description === '')).toEqual([])
  })

  const numbers = parameters.filter(({ schema }) => schema.type === 'integer')
  test.each(numbers)('$name of $path has the documented limits', async ({ name, path, schema }) => {
    const { minimum = Number.NaN, maximum = Number.NaN } = schema
    expect(await status(path, name, minimum)).toBe(200)
    expect(await status(path, name, maximum)).toBe(200)
    expect(await status(path, name, minimum - 1)).toBe(400)
    expect(await status(path, name, maximum + 1)).toBe(400)
  })

  const choices = parameters.filter(({ schema }) => schema.enum !== undefined)
  test.each(choices)('$name of $path has the documented values', async ({ name, path, schema }) => {
    for (const value of schema.enum ?? []) expect(await status(path, name, value)).toBe(200)
    expect(await status(path, name, 'another')).toBe(400)
  })
})
