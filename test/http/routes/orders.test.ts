import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { completed, answer as supplierAnswers } from '../../support/items.ts'
import { audit, balanceOf } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'
import { type Answer, testApi } from '../../support/service.ts'

const database = testDatabase()
const api = testApi(() => database.url)
const otherApi = testApi(() => database.url)

let partner: Partner
beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:1', token: 't' }))
beforeEach(async () => {
  partner = await makePartner(database.sql, { balance: 1000 })
})

let counter = 0
const order = (changes: object = {}) => {
  counter += 1
  return {
    externalOrderId: `order-${counter}`,
    items: [{ productId: products.topUp, deliveryData: { gameUserId: '123' } }],
    ...changes,
  }
}
const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  api().post('/b2b/orders', { key: partner.key, body, headers })
const get = (path: string) => api().get(path, { key: partner.key })
const times = <T>(count: number, work: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => work(i))

test('an account that somebody has locked holds up no other', async () => {
  const locked = await makePartner(database.sql)
  const holder = await database.sql.reserve()
  await holder`begin`
  await holder`select from supply.accounts where id = ${locked.accountId} for update`
  const ordering = (who: Partner) => api().post('/b2b/orders', { key: who.key, body: order() })
  const [theirs, mine] = await Promise.all([ordering(locked), ordering(partner), ordering(locked)])
  await holder`rollback`
  holder.release()
  expect([mine.status, theirs.status]).toEqual([201, 503])
})

describe('an accepted order', () => {
  test('may have texts as long as allowed, counted in characters and not in bytes', async () => {
    const request = order({
      externalOrderId: '😀'.repeat(128),
      items: [{ productId: products.topUp, deliveryData: { gameUserId: '😀'.repeat(256) } }],
    })
    const { status, json } = await post(request)
    expect(status).toBe(201)
    expect(json.data.externalOrderId).toBe(request.externalOrderId)
  })

  test('is 201 with the order, its payment code and its short list', async () => {
    const request = order({
      items: [
        { productId: products.topUp, quantity: 2, deliveryData: { gameUserId: '1', server: 7, vip: true } },
        { productId: products.key },
      ],
      callbackUrl: 'https://partner.example/hook',
    })
    const { status, headers, json } = await post(request)
    expect(status).toBe(201)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['idempotent-replayed']).toBeUndefined()
    const { code } = json.data
    expect(code).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(json).toMatchObject({
      success: true,
      data: {
        code,
        orderCode: code,
        externalOrderId: request.externalOrderId,
        status: 'processing',
        outcome: null,
        totalAmount: 41,
        refundedAmount: 0,
        currency: 'RUB',
        callbackUrl: 'https://partner.example/hook',
        error: null,
        reason: null,
        completedAt: null,
        paymentCode: expect.stringMatching(/./),
        orders: [{ code, total: 41, itemCount: 2 }],
        items: [
          {
            productId: products.topUp,
            productName: '100 credits',
            amount: 2,
            price: 10.5,
            status: 'processing',
          },
          { productId: products.key, productName: 'Gift key', amount: 1, price: 20, status: 'processing' },
        ],
      },
    })
    expect(json.data.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(await balanceOf(database.sql, partner)).toBe(959)
  })

  test('takes null for everything that may be absent, and ignores what it does not know', async () => {
    const item = {
      productId: products.key,
      quantity: null,
      deliveryData: null,
      maxPrice: null,
      colour: 'red',
    }
    const answer = await post(order({ items: [item], callbackUrl: null, maxTotal: null, note: { a: [1] } }))
    expect(answer).toMatchObject({ status: 201, json: { data: { totalAmount: 20, callbackUrl: null } } })
  })

  test('takes caps that the price just meets', async () => {
    const item = { productId: products.key, quantity: 2, maxPrice: 20 }
    expect((await post(order({ items: [item], maxTotal: 40 }))).status).toBe(201)
  })

  test('takes the largest request that is allowed', async () => {
    const data = Object.fromEntries(times(20, (i) => [`${i}`.padEnd(64, 'k'), 'é'.repeat(16)]))
    const items = times(50, () => ({ productId: products.key, deliveryData: { ...data } }))
    const body = order({ externalOrderId: 'x'.repeat(128), items: items.slice(0, 20) })
    expect((await post(body)).status).toBe(201)
    const many = times(50, () => ({
      productId: products.topUp,
      deliveryData: { gameUserId: 'x'.repeat(256) },
    }))
    expect((await post(order({ items: many }))).status).toBe(201)
  })

  test('is read with its code, and by nobody else', async () => {
    const { json } = await post(order())
    const read = await get(`/b2b/orders/${json.data.code}`)
    expect(read.status).toBe(200)
    expect(read.headers['cache-control']).toBe('no-store')
    expect(read.json.data).toEqual({ ...json.data, deliveries: null })
    const stranger = await makePartner(database.sql)
    const refused = await api().get(`/b2b/orders/${json.data.code}`, { key: stranger.key })
    expect(refused).toMatchObject({ status: 404, json: { success: false, code: 'ORDER_NOT_FOUND' } })
  })

  test('has a code that tells neither its place among orders nor the code of another', async () => {
    const codes: string[] = []
    for (const one of times(20, () => order())) codes.push((await post(one)).json.data.code)
    const sorted = [...codes].sort()
    expect([sorted, sorted.toReversed()]).not.toContainEqual(codes)
    expect(new Set(codes.map((code) => code.slice(0, 16))).size).toBe(codes.length)
  })

  test('shows its keys once they are delivered, but not in the list', async () => {
    const { json } = await post(order({ items: [{ productId: products.key, quantity: 2 }] }))
    await supplierAnswers(database.sql, json.data.items[0].id, completed({ codes: ['KEY-1', 'KEY-2'] }))
    const read = await get(`/b2b/orders/${json.data.code}`)
    expect(read.json.data).toMatchObject({ status: 'completed', outcome: 'full' })
    expect(read.json.data.items[0].cdKeys).toEqual([{ code: 'KEY-1' }, { code: 'KEY-2' }])
    const list = await get('/b2b/orders')
    expect(list.text).not.toContain('KEY-1')
  })
})

describe('a repeated request', () => {
  test('gives 200, the order as it is now, and says that it is a repeat', async () => {
    const request = order()
    const first = await post(request)
    await supplierAnswers(database.sql, first.json.data.items[0].id, completed())
    const second = await post(request)
    expect(second).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      json: {
        data: {
          code: first.json.data.code,
          status: 'completed',
          paymentCode: first.json.data.paymentCode,
          orders: first.json.data.orders,
        },
      },
    })
    expect(await balanceOf(database.sql, partner)).toBe(989.5)
  })

  test.each<[string, object]>([
    ['other caps', { maxTotal: 5 }],
    [
      'an explicit quantity of 1',
      { items: [{ productId: 101, quantity: 1, deliveryData: { gameUserId: '123' } }] },
    ],
    [
      'nulls',
      {
        items: [{ productId: 101, deliveryData: { gameUserId: '123', x: null }, maxPrice: 0 }],
        callbackUrl: null,
      },
    ],
  ])('is one also with %s', async (_, changes) => {
    const request = order()
    await post(request)
    expect((await post({ ...request, ...changes })).status).toBe(200)
  })

  test.each<[string, object]>([
    ['items', { items: [{ productId: 101, quantity: 2, deliveryData: { gameUserId: '123' } }] }],
    ['items', { items: [{ productId: 101, deliveryData: { gameUserId: 123 } }] }],
    ['items', { items: [{ productId: 1e300 }] }],
    ['callbackUrl', { callbackUrl: 'https://partner.example/hook' }],
    ['callbackUrl', { callbackUrl: 'not a URL' }],
    ['callbackUrl', { callbackUrl: 'https://partner.example/\u0000' }],
  ])('with other %s is 409 and names the field: %j', async (field, changes) => {
    const request = order()
    const first = await post(request)
    const answer = await post({ ...request, ...changes })
    expect(answer).toMatchObject({
      status: 409,
      json: {
        success: false,
        error: 'idempotency_key_reused_with_different_body',
        code: 'IDEMPOTENCY_KEY_REUSED',
        orderCode: first.json.data.code,
      },
    })
    expect(answer.json.details.map(({ path }: { path: string }) => path)).toEqual([field])
  })

  test('is known by the header’s key where there is one', async () => {
    const key = { 'x-idempotency-key': 'my-key' }
    const first = await post(order({ externalOrderId: 'same' }), key)
    expect(first.status).toBe(201)
    expect((await post(order({ externalOrderId: 'same' }), { 'idempotency-key': 'my-key' })).status).toBe(200)
    expect((await post(order({ externalOrderId: 'other' }), key)).status).toBe(409)
    expect((await post(order({ externalOrderId: 'same' }))).status).toBe(201)
  })

  test('finds its order although the money is gone', async () => {
    const request = order({
      items: [{ productId: products.expensive, quantity: 10, deliveryData: { gameUserId: '1' } }],
    })
    await post(request)
    expect(await balanceOf(database.sql, partner)).toBe(0)
    expect((await post(request)).status).toBe(200)
    expect((await post(order())).status).toBe(402)
  })

  test('of another account is no repeat', async () => {
    const request = order()
    await post(request)
    const other = await makePartner(database.sql)
    expect((await api().post('/b2b/orders', { key: other.key, body: request })).status).toBe(201)
  })

  test('after a refusal is a first one: a refused request binds nothing', async () => {
    const request = order({ externalOrderId: 'corrected' })
    expect((await post({ ...request, callbackUrl: 'ftp://x' })).status).toBe(400)
    expect((await post({ ...request, maxTotal: 1 })).status).toBe(422)
    expect((await post(request)).status).toBe(201)
  })

  test('at the same moment: one 201, all others 200, one charge', async () => {
    const request = order()
    const answers = await Promise.all(
      times(20, (index) =>
        (index % 2 ? api() : otherApi()).post('/b2b/orders', { key: partner.key, body: request }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...times(19, () => 200), 201])
    expect(new Set(answers.map(({ json }) => json.data.code)).size).toBe(1)
    expect(await balanceOf(database.sql, partner)).toBe(989.5)
  })
})

describe('many orders at the same moment', () => {
  test('of many partners each come back to whom they belong', async () => {
    const partners = await Promise.all(times(8, () => makePartner(database.sql, { balance: 100 })))
    const requests = times(80, (index) => ({
      partner: partners[index % 8] as Partner,
      body: order({ items: [{ productId: products.key, quantity: (index % 3) + 1 }] }),
    }))
    const answers = await Promise.all(
      requests.map(({ partner, body }, index) =>
        (index % 2 ? api() : otherApi()).post('/b2b/orders', { key: partner.key, body }),
      ),
    )
    for (const [index, { status, json }] of answers.entries()) {
      const { partner, body } = requests[index] as (typeof requests)[number]
      expect([201, 402]).toContain(status)
      if (status === 402) continue
      expect(json.data.externalOrderId).toBe(body.externalOrderId)
      expect(json.data.totalAmount).toBe(20 * ((index % 3) + 1))
      const read = await api().get(`/b2b/orders/${json.data.code}`, { key: partner.key })
      expect(read.json.data.externalOrderId).toBe(body.externalOrderId)
    }
    expect(await audit(database.sql)).toEqual([])
  })

  test('never spend more than there is', async () => {
    const poor = await makePartner(database.sql, { balance: 50 })
    const answers = await Promise.all(
      times(20, (index) =>
        (index % 2 ? api() : otherApi()).post('/b2b/orders', {
          key: poor.key,
          body: order({ items: [{ productId: products.key }] }),
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(18)
    expect(await balanceOf(database.sql, poor)).toBe(10)
  })
})
