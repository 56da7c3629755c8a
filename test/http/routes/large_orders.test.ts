import { beforeAll, describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { answer, completed } from '../../support/items.ts'
import { products } from '../../support/partner.ts'

const { sql, get, post } = httpTests({ partner: { balance: 10_000_000 } })

const inOneOrder = 10_000
const keys = (...quantities: number[]) => ({
  externalOrderId: crypto.randomUUID(),
  items: quantities.map((quantity) => ({ productId: products.key, quantity })),
})
const place = (order: object) => post('/b2b/orders', order)

beforeAll(async () => {
  await sql()`
    select ops.upsert_product(${products.key}, 'space-trader', 'Gift key', 20, 'RUB', 'key', max_quantity => 10000)`
})

describe('the key items of one order', () => {
  test('have at most 10,000 units in all', async () => {
    const refused = await place(keys(inOneOrder / 2, inOneOrder / 2, 1))
    expect(refused.status).toBe(422)
    expect(refused.json).toMatchObject({
      code: 'QUANTITY_OUT_OF_RANGE',
      details: [{ path: 'items', message: 'the keys of one order must be at most 10000 in all; these are 10001' }],
    })
    expect((await place(keys(inOneOrder / 2, inOneOrder / 2))).status).toBe(201)
  })

  test('are counted by a quote too, and units of other items are not', async () => {
    const quoted = await post('/b2b/orders/quote', keys(inOneOrder, 1))
    expect(quoted.json.data.wouldBeRefused).toMatchObject({ status: 422, code: 'QUANTITY_OUT_OF_RANGE' })
    await sql()`select ops.upsert_product(${products.topUp}, 'space-trader', '100 credits', 10.5, 'RUB', 'id_only',
      max_quantity => 20000)`
    const topUp = { productId: products.topUp, quantity: 11_000, deliveryData: { gameUserId: '1' } }
    expect((await place({ ...keys(1), items: [topUp] })).status).toBe(201)
  })
})

describe('an order with many codes', () => {
  const large = keys(3_000)
  const small = keys(2)
  const codesOf = new Map<object, string>()
  const many = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 150 }, work))

  beforeAll(async () => {
    for (const order of [large, small]) {
      const { json } = await place(order)
      codesOf.set(order, json.data.code)
      const codes = Array.from({ length: order.items[0]?.quantity ?? 0 }, (_, n) => `${json.data.code}-${n}`)
      await answer(sql(), json.data.items[0].id, completed({ codes }))
    }
  })

  const read = (order: object) => get(`/b2b/orders/${codesOf.get(order)}`)

  test('is read whole, in its order, and by a repeated POST in the shape of a 201', async () => {
    const { json } = await read(large)
    const codes = json.data.items[0].cdKeys
    expect(codes).toHaveLength(3_000)
    expect(codes[2_999]).toEqual({ code: `${json.data.code}-2999` })
    const replayed = await place(large)
    expect(replayed.headers['idempotent-replayed']).toBe('true')
    const { deliveries: _, ...shown } = json.data
    expect(replayed.json.data).toEqual(shown)
  })

  test.each<[string, (order: object) => Promise<{ status: number }>]>([
    ['reads of it', read],
    ['repeated POSTs of it', place],
  ])('has %s take turns, while those of small orders do not', async (_, ask) => {
    const large429 = (await many(() => ask(large))).filter(({ status }) => status === 429)
    // How many take their turn in time depends on the machine, and one alone always does.
    expect(large429).not.toHaveLength(0)
    expect((await ask(large)).status).toBe(200)
    expect((await many(() => ask(small))).map(({ status }) => status)).not.toContain(429)
  })
})
