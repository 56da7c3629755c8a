import { beforeAll, describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { completed, answer as supplierAnswers } from '../../support/items.ts'
import { place } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { type Answer, withoutRequestId } from '../../support/service.ts'

const { sql, get, post } = httpTests()
const total = 25
const codes: string[] = []
beforeAll(async () => {
  for (let index = 0; index < total; index += 1) codes.unshift(await placeOrder(`order-${index}`))
})

const codesOf = ({ json }: Answer): string[] => json.data.orders.map(({ code }: { code: string }) => code)

async function placeOrder(externalOrderId: string): Promise<string> {
  const { json } = await post('/b2b/orders', { externalOrderId, items: [{ productId: products.key }] })
  return json.data.code
}

describe('GET /b2b/orders', () => {
  test('gives the newest twenty and a cursor', async () => {
    const answer = await get('/b2b/orders')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(codesOf(answer)).toEqual(codes.slice(0, 20))
    expect(answer.json.data.pagination).toEqual({ limit: 20, hasMore: true, nextCursor: expect.any(String) })
  })

  test('is paged by cursor to its end while new orders arrive', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const answer = await get(`/b2b/orders?limit=7${cursor}`)
      seen.push(...codesOf(answer))
      if (cursor === '') codes.unshift(await placeOrder('meanwhile'))
      const { nextCursor, hasMore } = answer.json.data.pagination
      expect(hasMore).toBe(nextCursor !== null)
      cursor = nextCursor === null ? 'end' : `&cursor=${nextCursor}`
    } while (cursor !== 'end')
    expect(seen).toEqual(codes.slice(1))
  })

  test('is paged by number until the total', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => get(`/b2b/orders?page=${page}&limit=10`)))
    expect(pages.flatMap(codesOf)).toEqual(codes)
    for (const { json } of pages) expect(json.data.pagination).toMatchObject({ limit: 10, total: codes.length })
    const beyond = await get('/b2b/orders?page=2147483647&limit=100')
    expect(beyond.json.data).toMatchObject({ orders: [], pagination: { total: codes.length, hasMore: false } })
  })

  test('can be filtered by status, externalOrderId and time', async () => {
    const { json } = await get(`/b2b/orders/${codes[3]}`)
    await supplierAnswers(sql(), json.data.items[0].id, completed({ codes: ['SECRET-KEY'] }))
    const done = await get('/b2b/orders?status=completed')
    expect(codesOf(done)).toEqual([codes[3]])
    expect(done.text).not.toContain('SECRET-KEY')
    expect(codesOf(await get('/b2b/orders?externalOrderId=order-3'))).toEqual(codes.slice(-4, -3))
    const { createdAt } = json.data
    const from = codesOf(await get(`/b2b/orders?createdFrom=${createdAt}&limit=100`))
    const to = codesOf(await get(`/b2b/orders?createdTo=${createdAt}&limit=100`))
    expect(from).toContain(codes[3])
    expect(to).toContain(codes[3])
    expect(from.length + to.length).toBeGreaterThan(codes.length)
    expect(from).not.toContain(codes.at(-1))
    expect(to).not.toContain(codes[0])
  })

  test('shows no orders of other accounts', async () => {
    const stranger = await makePartner(sql())
    expect((await get('/b2b/orders', {}, stranger)).json.data.orders).toEqual([])
    const cursor = `cursor=${codes[3]}`
    expect((await get(`/b2b/orders?${cursor}`, {}, stranger)).status).toBe(400)
  })

  test.each([
    ['limit', 'limit=1.5'],
    ['limit', 'limit=ten'],
    ['limit', 'limit='],
    ['limit', 'limit=99999999999999999999'],
    ['limit', 'limit=10&limit=20'],
    ['page', 'page=1&cursor=ord_1'],
    ['cursor', 'cursor=unknown'],
    ['cursor', 'cursor=%00'],
    ['cursor', 'cursor='],
    ['status', 'status=COMPLETED'],
    ['externalOrderId', 'externalOrderId='],
    ['externalOrderId', `externalOrderId=${'x'.repeat(129)}`],
    ['externalOrderId', 'externalOrderId=%00'],
    ['createdFrom', 'createdFrom=yesterday'],
    ['createdTo', 'createdTo=2026-02-30'],
  ])('refuses an invalid %s: %s', async (field, query) => {
    const answer = await get(`/b2b/orders?${query}`)
    expect(answer).toMatchObject({ status: 400, json: { success: false, code: 'VALIDATION_ERROR' } })
    expect(answer.json.details.map(({ path }: { path: string }) => path)).toEqual([field])
  })

  test('refuses a createdFrom after the createdTo, and accepts the same millisecond', async () => {
    const day = '2026-03-02'
    const answer = await get(`/b2b/orders?createdFrom=${day}T12:00&createdTo=${day}T13:59:59.999%2B02:00`)
    const details = [{ path: 'createdFrom', message: 'must not be after createdTo' }]
    expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', details } })
    const equal = await get(`/b2b/orders?createdFrom=${day}T12:00&createdTo=${day}T14:00:00.000%2B02:00`)
    expect(equal.status).toBe(200)
  })
})

describe('lists of orders with many items', () => {
  let shop: Partner
  beforeAll(async () => {
    shop = await makePartner(sql(), { balance: 1_000_000 })
    for (let index = 0; index < 25; index += 1) {
      const items = Array(50).fill({ productId: products.topUp })
      await place(sql(), shop, { externalOrderId: `large-${index}`, items })
    }
  })

  test('hold at most 1,000 items on a page by cursor, and lose no order', async () => {
    const first = await get('/b2b/orders?limit=100', {}, shop)
    expect(codesOf(first)).toHaveLength(20)
    const { nextCursor } = first.json.data.pagination
    expect(first.json.data.pagination).toEqual({ limit: 100, hasMore: true, nextCursor: expect.any(String) })
    const second = await get(`/b2b/orders?limit=100&cursor=${nextCursor}`, {}, shop)
    expect(second.json.data.pagination).toEqual({ limit: 100, hasMore: false, nextCursor: null })
    const listed = [...codesOf(first), ...codesOf(second)]
    expect(new Set(listed).size).toBe(25)
  })

  test('hold as many orders as the limit on a numbered page', async () => {
    const { data } = (await get('/b2b/orders?page=1&limit=100', {}, shop)).json
    expect(data.orders).toHaveLength(25)
    expect(data.pagination).toMatchObject({ total: 25, hasMore: false, nextCursor: null })
  })

  test('are 429 if 50 of the account wait, and the others are answered in turn', async () => {
    const answers: Answer[] = []
    let sent: Promise<unknown> = Promise.resolve()
    await sql().begin(async (transaction) => {
      await transaction`lock table supply.orders in access exclusive mode`
      sent = Promise.all(Array.from({ length: 60 }, async () => answers.push(await get('/b2b/orders', {}, shop))))
      await expect.poll(() => answers.length).toBeGreaterThanOrEqual(9)
      expect((await get('/b2b/catalog/games')).status).toBe(200)
    })
    await sent
    const answeredBy = (wanted: number) => answers.filter(({ status }) => status === wanted)
    const [refused, late] = [answeredBy(429), answeredBy(503)]
    // On a busy machine, a list whose call waited too long for the lock is 503, and leaves its place to another one.
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThanOrEqual(9)
    expect(refused.length + late.length).toBeGreaterThanOrEqual(9)
    expect(answeredBy(200)).toHaveLength(60 - refused.length - late.length)
    for (const { status, headers, json } of refused) {
      expect([status, headers['retry-after']]).toEqual([429, '2'])
      expect(withoutRequestId(json)).toEqual({
        success: false,
        error: 'Too many requests',
        code: 'RATE_LIMITED',
        retryAfter: 2,
      })
    }
  })
})

describe('an unknown query parameter', () => {
  test.each([
    ['/b2b/orders', 'staus=completed', 'status'],
    ['/b2b/orders', 'created_from=2026-01-01', 'createdFrom'],
    ['/b2b/orders', 'from=2026-01-01', 'createdFrom'],
    ['/b2b/balance/transactions', 'Limit=5', 'limit'],
    ['/b2b/catalog/games/x/products', 'deliverytype=key', 'deliveryType'],
    ['/b2b/results', 'waits=1', 'wait'],
  ])('of %s is refused and the message names the parameter that was meant: %s', async (path, query, meant) => {
    const name = query.split('=')[0]
    const details = [{ path: name, message: `is not a known parameter: did you mean ${meant}?` }]
    const answer = await get(`${path}?${query}`)
    expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', details } })
  })

  test.each(['/b2b/orders', '/b2b/orders/ord_1', '/b2b/balance', '/b2b/catalog/products/101'])(
    'of %s that resembles none is refused by its name',
    async (path) => {
      const answer = await get(`${path}?colour=red&colour=blue`)
      const details = [{ path: 'colour', message: 'is not a known parameter' }]
      expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', details } })
    },
  )

  test('of a write is refused before the write', async () => {
    const body = { externalOrderId: 'not placed', items: [{ productId: products.key }] }
    const answer = await post('/b2b/orders?page=1', body)
    expect(answer).toMatchObject({ status: 400, json: { details: [{ path: 'page' }] } })
    expect(codesOf(await get('/b2b/orders?externalOrderId=not%20placed'))).toEqual([])
  })

  test('is one of at most 50 details, the last of which counts the others', async () => {
    const query = Array.from({ length: 60 }, (_, index) => `unknown${index}=1`).join('&')
    const { details } = (await get(`/b2b/orders?${query}`)).json
    expect(details).toHaveLength(50)
    expect(details[48].path).toBe('unknown48')
    expect(details[49]).toEqual({ path: '', message: 'and 11 more' })
  })
})

describe('GET /b2b/balance', () => {
  test('gives the balance and the amount in open orders', async () => {
    const answer = await get('/b2b/balance')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json.data).toEqual({
      balance: 1000 - 20 * codes.length,
      currency: 'RUB',
      inOrders: 20 * (codes.length - 1),
      lowBalance: false,
      threshold: 0,
      asOf: expect.stringMatching(/Z$/),
    })
  })
})

describe('GET /b2b/balance/transactions', () => {
  const path = '/b2b/balance/transactions'

  test('gives the ledger, newest first', async () => {
    const { json, headers } = await get(`${path}?limit=2`)
    expect(headers['cache-control']).toBe('no-store')
    expect(json.data).toMatchObject({
      openingBalance: 0,
      closingBalance: 1000 - 20 * codes.length,
      pagination: { limit: 2, hasMore: true, nextCursor: String(codes.length) },
    })
    expect(json.data.transactions[0]).toEqual({
      seq: codes.length + 1,
      type: 'order_charge',
      amount: -20,
      balanceAfter: 1000 - 20 * codes.length,
      currency: 'RUB',
      orderCode: codes[0],
      externalOrderId: 'meanwhile',
      paymentCode: expect.stringMatching(/./),
      createdAt: expect.stringMatching(/Z$/),
      reference: null,
    })
  })

  test('shows the references of deposits and adjustments, and not the notes of operators', async () => {
    const other = await makePartner(sql())
    await sql()`select ops.adjust(${other.accountId}, -5, 'fee "1", 2026', 'a word among operators')`
    const answer = await get(path, {}, other)
    expect(answer.json.data.transactions).toMatchObject([
      { seq: 2, type: 'adjustment', reference: 'fee "1", 2026' },
      { seq: 1, type: 'deposit', reference: 'first deposit' },
    ])
    expect(answer.text).not.toContain('a word among operators')
    const asCsv = await get(path, { accept: 'text/csv' }, other)
    expect(asCsv.text).toMatch(/^1,deposit,1000\.00,.*,first deposit\r\n/m)
    expect(asCsv.text).toContain(',"fee ""1"", 2026"\r\n')
    expect(asCsv.text).not.toContain('a word among operators')
  })

  test('is paged by cursor to its end', async () => {
    const seqs: number[] = []
    for (let cursor: string | null = String(codes.length + 2); cursor !== null; ) {
      const { json }: Answer = await get(`${path}?limit=10&cursor=${cursor}`)
      seqs.push(...json.data.transactions.map(({ seq }: { seq: number }) => seq))
      cursor = json.data.pagination.nextCursor
    }
    expect(seqs).toEqual(Array.from({ length: codes.length + 1 }, (_, index) => codes.length + 1 - index))
  })

  test.each(['cursor=x', 'cursor=0', 'cursor=-1', `cursor=${'9'.repeat(30)}`, 'from=x', 'to=x'])(
    'refuses %s, in JSON whatever format is asked for',
    async (query) => {
      const answer = await get(`${path}?${query}`, { accept: 'text/csv' })
      expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } })
      expect(answer.json.details[0].path).toBe(query.split('=')[0])
    },
  )

  test('refuses a period that begins after its end', async () => {
    const details = [{ path: 'from', message: 'must not be after to' }]
    expect(await get(`${path}?from=2026-03-02&to=2026-03-01`)).toMatchObject({ status: 400, json: { details } })
  })

  describe('as CSV', () => {
    const csv = { accept: 'text/csv' }

    test('has a header line, amounts with two decimals, and a next cursor until its end', async () => {
      const answer = await get(`${path}?limit=1`, csv)
      expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
      expect(answer.headers['x-next-cursor']).toBe(String(codes.length + 1))
      const { data } = (await get(`${path}?limit=1`)).json
      const [entry] = data.transactions
      expect(answer.text).toBe(
        'seq,type,amount,balanceAfter,currency,orderCode,externalOrderId,paymentCode,createdAt,reference\r\n' +
          `${entry.seq},order_charge,-20.00,${(1000 - 20 * codes.length).toFixed(2)},RUB,${codes[0]},meanwhile,${entry.paymentCode},${entry.createdAt},\r\n`,
      )
      expect((await get(`${path}?limit=100`, csv)).headers['x-next-cursor']).toBeUndefined()
    })

    test.each(['application/json', '*/*', 'text/html', 'application/json, text/csv;q=0.5'])(
      'is not what Accept: %s gets',
      async (accept) => {
        expect((await get(path, { accept })).headers['content-type']).toMatch(/json/)
      },
    )
  })
})
