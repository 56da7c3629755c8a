import { describe, expect, it } from 'vitest'
import type { SupplierCall } from '../../../src/suppliers/adapter.ts'
import type { Fault, StandInAnswer } from '../../support/servers/supplier_stand_in.ts'
import { upstreamPrice } from '../../support/servers/upstream_stand_in.ts'
import { b2bDriver, changeItems, changeOrders } from '../conformance/b2b_driver.ts'
import { completed } from '../conformance/driver.ts'
import { sent, setUp } from '../conformance/suite.ts'

const { supplier, order, put, get, during } = setUp(b2bDriver)

type Item = { amount: number; status: string; errorCode?: string | null; codes?: string[] }

/** The outcome of a call whose order, read upstream by its code, has these items. */
async function outcomeOf(
  { status, items, reason = null }: { status: string; items: Item[]; reason?: string | null },
  overrides: Partial<SupplierCall> = {},
) {
  const call = order(completed, overrides)
  const placed = await put(call)
  const rendered = items.map(({ codes, ...item }) => ({
    productId: 112,
    price: upstreamPrice,
    errorCode: null,
    errorMessage: null,
    ...(codes === undefined ? {} : { cdKeys: codes.map((code) => ({ code })) }),
    ...item,
  }))
  const damage = changeOrders((one) => ({ ...one, status, reason, items: rendered }))
  return during({ damage }, () => get(sent(call, placed)))
}

const topUp = { deliversKeys: false }

describe('an order that is asked for', () => {
  it('is read by its code where that is known', async () => {
    const call = order(completed)
    const placed = await put(call)
    const { length } = supplier().requests
    await get(sent(call, placed))
    const code = 'supplierOrderId' in placed ? placed.supplierOrderId : ''
    expect(supplier().requests.slice(length)).toMatchObject([{ method: 'GET', path: `/b2b/orders/${code}` }])
  })

  it('is searched by its reference, and then read, where its code is not known', async () => {
    const call = order(completed)
    await put(call)
    for (const supplierOrderId of [null, '../catalog', 's/1']) {
      const { length } = supplier().requests
      expect(await get({ ...sent(call), supplierOrderId })).toMatchObject({ outcome: 'answered', ...completed })
      const [search, read] = supplier().requests.slice(length)
      expect(search).toMatchObject({ method: 'GET', path: '/b2b/orders' })
      expect(search?.query.get('externalOrderId')).toBe(call.reference)
      expect(read?.path).toMatch(/^\/b2b\/orders\/ord_/)
    }
  })

  it('has an unknown outcome if its code is not known upstream any more', async () => {
    const call = { ...order(completed), supplierOrderId: 'ord_of_another_account' }
    expect(await get(call)).toMatchObject({ outcome: 'unknown', error: 'HTTP 404', httpStatus: 404 })
  })

  describe('of an upstream that lists all orders, whatever it is asked for', () => {
    const others = (count: number, from = 0) =>
      Array.from({ length: count }, (_, n) => ({ code: `ord_${from + n}`, externalOrderId: `shop-${from + n}` }))

    /** The list has these pages; of a search by another way it has nothing. */
    const pages = (listed: unknown[][], total?: number): Fault => ({
      to: ({ path }) => path.endsWith('/orders'),
      damage: (_, { query }) => {
        const orders = listed[Number(query.get('page') ?? 1) - 1] ?? []
        return { status: 200, json: { success: true, data: { orders, pagination: { total } } } }
      },
    })

    it('is found on a later page, at the pace of the supplier', async () => {
      let paced = 0
      const pace = async () => {
        paced += 1
      }
      const call = order(completed, { pace })
      const placed = await put(call)
      const ours = { code: 'supplierOrderId' in placed ? placed.supplierOrderId : '', externalOrderId: call.reference }
      const listed = [others(100), others(100, 100), [...others(50, 200), ours]]
      expect(await during(pages(listed), () => get(sent(call)))).toMatchObject({ outcome: 'answered', ...completed })
      expect(paced).toBe(2)
    })

    it('was not received where all pages were read, by their total or an empty page', async () => {
      for (const total of [150, undefined]) {
        const outcome = during(pages([others(100), others(50, 100)], total), () => get(sent(order())))
        expect(await outcome).toEqual({ outcome: 'not_received' })
      }
    })

    it('is unknown where no page differs from the first, or an order of a page cannot be read', async () => {
      const same = Array.from({ length: 30 }, () => others(100))
      expect(await during(pages(same), () => get(sent(order())))).toMatchObject({
        outcome: 'unknown',
        error: 'the answer is unusable: it ignores externalOrderId and page',
      })
      expect(await during(pages([[...others(3), { code: 'ord_9' }]]), () => get(sent(order())))).toMatchObject({
        outcome: 'unknown',
        error: 'the answer is unusable: an order of its list: externalOrderId is missing',
      })
    })

    it('is found beside an order that cannot be read', async () => {
      const call = order(completed)
      const placed = await put(call)
      const ours = { code: 'supplierOrderId' in placed ? placed.supplierOrderId : '', externalOrderId: call.reference }
      expect(await during(pages([[null, { code: 7 }, ours]]), () => get(sent(call)))).toMatchObject({ ...completed })
    })

    it('is unknown where it is not among the newest 2,000', async () => {
      const many = Array.from({ length: 30 }, (_, page) => others(100, page * 100))
      expect(await during(pages(many), () => get(sent(order())))).toMatchObject({
        outcome: 'unknown',
        error: 'the order is not among the newest 2000, and the list ignores externalOrderId',
      })
    })
  })

  it('is held where several have its reference', async () => {
    const call = order(completed)
    const externalOrderId = call.reference
    const orders = [
      { code: 'ord_1', externalOrderId },
      { code: 'ord_2', externalOrderId },
    ]
    const damage = { status: 200, json: { success: true, data: { orders } } }
    expect(await during({ damage }, () => get(sent(call)))).toMatchObject({ outcome: 'hold', codes: [] })
  })

  it('is asked for again after the wait of a 429', async () => {
    const call = order(completed)
    const damage: StandInAnswer = { status: 429, headers: { 'retry-after': '9' } }
    expect(await during({ damage }, () => get(sent(call)))).toMatchObject({ outcome: 'unknown', retryAfter: 9 })
  })
})

describe('an order that is read', () => {
  it('may have items that do not name their product, but not those of another', async () => {
    const items = (productId: unknown) =>
      [{ productId, amount: 2, status: 'completed', codes: completed.codes }] as never
    for (const productId of [undefined, null])
      expect(await outcomeOf({ status: 'completed', items: items(productId) })).toMatchObject({ ...completed })
    expect(await outcomeOf({ status: 'completed', items: items(7) })).toMatchObject({ outcome: 'hold' })
  })

  it('says what is missing', async () => {
    const items = [{ amount: 2, status: undefined }] as never
    expect(await outcomeOf({ status: 'completed', items })).toMatchObject({
      outcome: 'unknown',
      error: 'the answer is unusable: data.items[0].status is missing',
    })
  })

  it.each(['pending', 'processing'])('is processing while it is %s, with items of any status', async (status) => {
    const items = [
      { amount: 1, status: 'completed', codes: ['A'] },
      { amount: 1, status: 'shipped' },
    ]
    expect(await outcomeOf({ status, items })).toMatchObject({ status: 'processing', codes: [] })
  })

  it('is completed without keys for a top-up', async () => {
    const items = [{ amount: 2, status: 'completed' }]
    expect(await outcomeOf({ status: 'completed', items }, topUp)).toMatchObject({
      outcome: 'answered',
      status: 'completed',
      codes: [],
      unitPrice: upstreamPrice,
    })
  })

  it('is failed with the part that was delivered, its keys, and why the rest was not', async () => {
    const items = [
      { amount: 1, status: 'completed', codes: ['AAAA-1'] },
      { amount: 1, status: 'failed', errorCode: 'REGION_MISMATCH' },
    ]
    expect(await outcomeOf({ status: 'failed', items })).toMatchObject({
      outcome: 'answered',
      status: 'failed',
      codes: ['AAAA-1'],
      errorCode: 'REGION_MISMATCH',
    })
  })

  it('passes on the reason of a failure, of the order or else of its item', async () => {
    const errorMessage = 'Игрок не найден.'
    const items = [{ amount: 2, status: 'failed', errorCode: 'PLAYER_NOT_FOUND', errorMessage }]
    expect(await outcomeOf({ status: 'failed', items }, topUp)).toMatchObject({
      status: 'failed',
      errorCode: 'PLAYER_NOT_FOUND',
      reason: errorMessage,
    })
    const reason = 'Аккаунт заблокирован.'
    expect(await outcomeOf({ status: 'failed', items, reason }, topUp)).toMatchObject({ reason })
  })

  it.each([
    ['of a top-up a part was completed', topUp, ['completed', 'failed'], [[], []], []],
    ['a completed part has too few keys', {}, ['completed', 'failed'], [[], []], []],
    ['a completed part has too many keys', {}, ['completed', 'failed'], [['A', 'B'], []], ['A', 'B']],
    ['all failed, and there is a key', {}, ['failed', 'failed'], [[], ['A']], ['A']],
  ] as const)('is held where %s', async (_, overrides, statuses, codes, kept) => {
    const items = statuses.map((status, index) => ({ amount: 1, status, codes: [...(codes[index] ?? [])] }))
    expect(await outcomeOf({ status: 'failed', items }, overrides)).toEqual({
      outcome: 'hold',
      error: expect.stringMatching(/part|codes/),
      codes: kept,
      supplierOrderId: expect.stringMatching(/^ord_/),
      httpStatus: 200,
      raw: null,
    })
  })

  it.each([
    ['completed', ['completed', 'failed']],
    ['completed', ['failed', 'failed']],
    ['completed', ['completed', 'processing']],
    ['failed', ['completed', 'completed']],
    ['failed', ['failed', 'shipped']],
    ['shipped', ['completed', 'completed']],
  ])('has an unknown outcome where it is %s with items that are %j', async (status, statuses) => {
    const items = statuses.map((one) => ({ amount: 1, status: one, codes: ['A'] }))
    expect(await outcomeOf({ status, items })).toMatchObject({ outcome: 'unknown' })
  })

  it.each([
    ['another product', { productId: 113 }],
    ['another quantity', { amount: 1 }],
  ])('is held where it is about %s', async (_, change) => {
    const call = order(completed)
    const placed = await put(call)
    const damage = changeItems((item) => ({ ...item, ...change }))
    expect(await during({ damage }, () => get(sent(call, placed)))).toMatchObject({ outcome: 'hold', codes: [] })
  })

  it('has an unknown outcome where a key is blank', async () => {
    const items = [{ amount: 2, status: 'completed', codes: ['A', ' '] }]
    expect(await outcomeOf({ status: 'completed', items })).toMatchObject({
      outcome: 'unknown',
      error: 'the answer is unusable: codes[1] makes no sense as a code or its parts',
    })
  })
})
