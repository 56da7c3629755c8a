import { beforeEach, describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { completed, answer as supplierAnswers } from '../../support/items.ts'
import { place } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import type { Answer } from '../../support/service.ts'

// Pages by number, pinned by the asOf of the first one: what is placed meanwhile neither shifts them nor comes in.

const { sql, partner, get: read } = httpTests({ each: true })

let stranger: Partner
beforeEach(async () => {
  stranger = await makePartner(sql())
})

const placeOne = async (externalOrderId?: string, who = partner()): Promise<string> => {
  const request = externalOrderId === undefined ? {} : { externalOrderId, idempotencyKey: crypto.randomUUID() }
  const { body } = await place(sql(), who, { items: [{ productId: products.key }], ...request })
  return body.code
}
/** The codes of so many new orders, newest first. */
async function placeMany(count: number, externalOrderId?: string): Promise<string[]> {
  const codes: string[] = []
  for (let n = 0; n < count; n += 1) codes.unshift(await placeOne(externalOrderId))
  return codes
}

const get = (query: string, who = partner()): Promise<Answer> => read(`/b2b/orders?${query}`, {}, who)
const codesOf = ({ json }: Answer): string[] => json.data.orders.map(({ code }: { code: string }) => code)

/** Reads all pages; `meanwhile` runs after each. Returns what was seen, and every total that was said. */
async function readPages(
  filter: string,
  meanwhile: () => Promise<unknown>,
): Promise<{ seen: string[]; totals: number[] }> {
  const seen: string[] = []
  const totals = new Set<number>()
  let asOf = ''
  for (let page = 1; ; page += 1) {
    const answer = await get(`limit=2&page=${page}${asOf && `&asOf=${asOf}`}${filter}`)
    const { pagination } = answer.json.data
    expect(pagination.asOf).toEqual(asOf || expect.stringMatching(/./))
    seen.push(...codesOf(answer))
    totals.add(pagination.total)
    if (!pagination.hasMore) return { seen, totals: [...totals] }
    asOf = pagination.asOf
    await meanwhile()
  }
}

describe('pages as of one moment', () => {
  test('show each order that was there once, and no other, under one total', async () => {
    const codes = await placeMany(7)
    const { seen, totals } = await readPages('', () => Promise.all([placeOne(), placeOne(), placeOne()]))
    expect(seen).toEqual(codes)
    expect(totals).toEqual([7])
    expect((await get('page=1')).json.data.pagination.total).toBe(16)
  })

  test('do not show an order whose transaction was open then and committed later', async () => {
    const codes = await placeMany(3)
    let first = await get('page=1&limit=2')
    await sql().begin(async (tx) => {
      await place(tx as never, partner(), { items: [{ productId: products.key }] })
      // The number of this order is above that of the open one.
      await placeOne(undefined, stranger)
      first = await get('page=1&limit=2')
    })
    const { total, asOf } = first.json.data.pagination
    const second = await get(`page=2&limit=2&asOf=${asOf}`)
    expect([...codesOf(first), ...codesOf(second)]).toEqual(codes)
    expect([total, second.json.data.pagination.total]).toEqual([3, 3])
    expect((await get('page=1')).json.data.pagination.total).toBe(4)
  })

  test('are right though times are equal, or a clock was set back', async () => {
    await placeMany(4)
    await sql()`update supply.orders set created_at = '2026-01-01' where account_id = ${partner().accountId}`
    const { orders } = (await get('limit=100')).json.data
    const times = ['2025-12-31', '2026-01-01', '2026-01-02']
    const { seen, totals } = await readPages('', async () => {
      const code = await placeOne()
      await sql()`update supply.orders set created_at = ${times.pop() ?? '2025-01-01'} where code = ${code}`
    })
    expect(seen).toEqual(orders.map(({ code }: { code: string }) => code))
    expect(totals).toEqual([4])
  })

  test.each([
    ['a reference', '&externalOrderId=same'],
    ['a status', '&status=processing'],
    ['a time', '&createdFrom=2026-01-01'],
    ['all of them', '&externalOrderId=same&status=processing&createdFrom=2026-01-01&createdTo=2999-01-01'],
  ])('can be narrowed by %s', async (_, filter) => {
    const codes = await placeMany(5, 'same')
    const { seen, totals } = await readPages(filter, () => placeMany(2, 'same'))
    expect(seen).toEqual(codes)
    expect(totals).toEqual([5])
  })

  test('show an order as it is now, and as of then whatever else was booked since', async () => {
    const codes = await placeMany(3)
    const { pagination } = (await get('page=1&limit=1')).json.data
    await sql()`select ops.deposit(${partner().accountId}, 5, 'meanwhile')`
    const { json } = await read(`/b2b/orders/${codes[2]}`)
    await supplierAnswers(sql(), json.data.items[0].id, completed({ codes: ['A-KEY'] }))
    await placeOne()
    const last = (await get(`page=3&limit=1&asOf=${pagination.asOf}`)).json.data
    expect(last.orders).toMatchObject([{ code: codes[2], status: 'completed' }])
    const done = await get(`page=1&status=completed&asOf=${pagination.asOf}`)
    expect(codesOf(done)).toEqual([codes[2]])
  })

  test.each([0, 1000])('of an account without orders stay empty, with a balance of %i', async (balance) => {
    const fresh = await makePartner(sql(), { balance })
    const { pagination } = (await get('page=1', fresh)).json.data
    await sql()`select ops.deposit(${fresh.accountId}, 500, 'later', allow => '{known_reference}')`
    await placeOne(undefined, fresh)
    expect((await get(`page=1&asOf=${pagination.asOf}`, fresh)).json.data).toMatchObject({
      orders: [],
      pagination: { total: 0, asOf: pagination.asOf },
    })
  })
})

test.each([
  ['without a page', 'asOf=1', 'must come with a page'],
  ['with a cursor', 'asOf=1&cursor=ord_1', 'must come with a page'],
  ['that is not a number', 'page=1&asOf=x', 'must be an asOf'],
  ['that is empty', 'page=1&asOf=', 'must be an asOf'],
  ['that is too long', `page=1&asOf=${'9'.repeat(30)}`, 'must be an asOf'],
  ['that was never given', 'page=1&asOf=999999', 'must be an asOf'],
])('an asOf %s is refused', async (_, query, message) => {
  expect(await get(query)).toMatchObject({
    status: 400,
    json: { code: 'VALIDATION_ERROR', details: [{ path: 'asOf', message }] },
  })
})
