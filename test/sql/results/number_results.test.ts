import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, finishCalls, leaseCalls } from '../../support/items.ts'
import { place } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { undone } from '../../support/sql/transactions.ts'

const { sql, partner, order, keys, read, push } = itemTests({ audited: true })

type Page = {
  results: { seq: number; orderCode: string; completedAt: string; items: { status: string }[] }[]
  nextAfter: number
  lastSeq: number
  hasMore: boolean
}

const page = (after = 0, limit = 20, of: Partner = partner()) =>
  oneValue<Page>(sql()`select body from api.list_results(${of.accountId}, ${of.keyId}, ${after}, ${limit})`)

const seen = async (of = partner()) => (await page(0, 100, of)).results.map(({ seq, orderCode }) => [seq, orderCode])
const numbered = (...codes: string[]) => codes.map((code, index) => [index + 1, code])
const markOf = (of = partner()) =>
  sql()`select last_seq::int from supply.result_marks where account_id = ${of.accountId}`
const number = () => sql()`select work.number_results() as more`

describe('an order that ends gets the next number of its account', () => {
  test('however it ends: all of it, none, a part, and without a callback URL', async () => {
    const full = await order({ callbackUrl: 'https://hooks.example/x' })
    const [none, part, open] = [await order(), await keys(3), await order()]
    await answer(sql(), none.item, failed())
    await answer(sql(), part.item, failed({ codes: ['A', 'B'] }))
    await answer(sql(), full.item, completed())
    const common = {
      externalOrderId: expect.any(String),
      currency: 'RUB',
      completedAt: expect.stringMatching(/Z$/),
      items: expect.any(Array),
    }
    const ended = { status: 'failed', totalAmount: 10.5, refundedAmount: 10.5 }
    expect(await page()).toEqual({
      results: [
        { ...common, ...ended, seq: 1, orderCode: none.code, outcome: 'none' },
        { ...common, ...ended, seq: 2, orderCode: part.code, outcome: 'partial', totalAmount: 60, refundedAmount: 20 },
        { ...common, ...ended, seq: 3, orderCode: full.code, status: 'completed', outcome: 'full', refundedAmount: 0 },
      ],
      nextAfter: 3,
      lastSeq: 3,
      hasMore: false,
    })
    expect((await read(full.code)).completedAt).toBe((await page(2)).results[0]?.completedAt)
    await answer(sql(), open.item, completed())
    expect(await seen()).toEqual(numbered(none.code, part.code, full.code, open.code))
  })

  test('when an operator ends it, and when its supplier pushes the result', async () => {
    const [held, pushed] = [await keys(2), await order()]
    await answer(sql(), held.item, completed({ codes: ['A', 'B', 'C'] }))
    await sql()`select ops.settle_item(${held.item}, 'failed', '{}', reason => 'a test')`
    await leaseCalls(sql(), [pushed.item])
    await push('first', pushed.item, completed())
    expect(await seen()).toEqual(numbered(held.code, pushed.code))
  })

  test('and a page has at most its limit, and nextAfter', async () => {
    const codes: string[] = []
    for (let n = 0; n < 5; n += 1) {
      const { code, item } = await order()
      codes.push(code)
      await answer(sql(), item, completed())
    }
    expect(await page(0, 2)).toMatchObject({ nextAfter: 2, lastSeq: 5, hasMore: true })
    expect(await page(2, 2)).toMatchObject({ results: [{ seq: 3 }, { seq: 4 }], nextAfter: 4, hasMore: true })
    expect(await page(4, 2)).toMatchObject({ results: [{ seq: 5 }], nextAfter: 5, hasMore: false })
    expect(await page(5, 2)).toMatchObject({ results: [], nextAfter: 5, hasMore: false })
    expect(await page(99, 2)).toMatchObject({ results: [], nextAfter: 5, lastSeq: 5, hasMore: false })
    expect(await seen(await makePartner(sql()))).toEqual([])
    expect(await seen()).toEqual(numbered(...codes))
  })

  test('with the items of the order, in its order, without codes and texts for buyers', async () => {
    const { code, items } = await order({
      items: [
        { productId: products.expensive },
        { productId: products.key, quantity: 3 },
        { productId: products.topUp, quantity: 2 },
      ],
    })
    const [expensive = '', keyItem = '', topUp = ''] = items
    await answer(sql(), topUp, completed())
    await answer(sql(), keyItem, failed({ codes: ['SECRET-1', 'SECRET-2'], errorCode: 'OUT_OF_KEYS' }))
    expect(await seen()).toEqual([])
    await answer(sql(), expensive, failed({ errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден.' }))

    const found = (await page()).results[0]?.items ?? []
    expect(found.map(({ status }) => status)).toEqual(['failed', 'completed', 'failed', 'completed'])
    const ofOrder: object[] = (await read(code)).items
    expect(found.map((item) => Object.keys(item))).toEqual(
      ofOrder.map(() => [
        ...['id', 'productId', 'productName', 'amount', 'price', 'status', 'refundedAmount', 'errorCode'],
      ]),
    )
    expect(ofOrder).toMatchObject(found)
    expect(found[0]).toMatchObject({ id: expensive, productId: products.expensive, errorCode: 'PLAYER_NOT_FOUND' })
    expect(JSON.stringify(found)).not.toContain('SECRET')
  })

  test('which a revoked key cannot read', async () => {
    const { accountId, keyId } = partner()
    await sql()`select ops.revoke_key(${keyId})`
    expect(await sql()`select * from api.list_results(${accountId}, ${keyId}, 0, 20)`).toEqual([])
  })
})

test('an order that ends while another transaction holds the numbers of its account gets its number later', async () => {
  const [first, second] = [await order(), await order()]
  const other = await makePartner(sql())
  const { body } = await place(sql(), other)
  await answer(sql(), first.item, completed())
  await undone(sql(), async (holder) => {
    await holder`select from supply.result_marks where account_id = ${partner().accountId} for update`
    const calls = await leaseCalls(sql(), [second.item, body.items[0]?.id ?? ''])
    expect((await finishCalls(sql(), calls, completed())).verdicts).toEqual(['settled', 'settled'])
    expect(await seen()).toEqual(numbered(first.code))
    expect(await seen(other)).toEqual(numbered(body.code))
    await number()
    expect(await seen()).toEqual(numbered(first.code))
  })
  await number()
  expect(await seen()).toEqual(numbered(first.code, second.code))
  expect(await markOf()).toEqual([{ last_seq: 2 }])
})

test('after a restore the numbers go on above those that may have been given and were lost', async () => {
  const [first, second] = [await order(), await order()]
  await answer(sql(), first.item, completed())
  const fresh = await makePartner(sql())
  await sql()`select ops.begin_recovery('the back-up of Monday')`
  expect(await page(1)).toMatchObject({ results: [], nextAfter: 1, hasMore: false })
  await answer(sql(), second.item, completed())
  const { body } = await place(sql(), fresh)
  await answer(sql(), body.items[0]?.id ?? '', completed())
  // Whoever had read up to number 3 before the restore.
  expect((await page(3)).results).toMatchObject([{ seq: 1_000_002, orderCode: second.code }])
  expect((await page(3, 20, fresh)).results).toMatchObject([{ seq: 1_000_001, orderCode: body.code }])
  expect(await seen()).toEqual([
    [1, first.code],
    [1_000_002, second.code],
  ])
  await sql()`select ops.release_events(dry_run => false)`
  await sql()`select ops.end_recovery()`
})
