import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answer, completed, failed } from '../../support/items.ts'
import { lastLogged, operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { audit, balanceOf, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

// What an operator gives back for an item that was delivered: two keys at 20.00, of a balance of 100.00.
const database = testDatabase()
const operator = operatorOf(database)
let partner: Partner
let code: string
let item: string

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(database.sql, { balance: 100 })
  ;({ code, item } = await newOrder())
  await answer(database.sql, item, completed({ codes: ['A', 'B'] }))
})

async function newOrder() {
  const { body } = await place(database.sql, partner, { items: [{ productId: products.key, quantity: 2 }] })
  return { code: body.code, item: body.items[0]?.id ?? '' }
}

async function refund(amount: string, reference: string, note = 'the first key was used', of = item) {
  const [row] = await operator()`
    select ops.refund_item(${of}, ${amount}, ${reference}, ${note}) as balance`
  return row?.balance
}

async function transactions() {
  const [row] = await database.sql`select api.list_transactions(${partner.accountId}, 10) as list`
  return row?.list.transactions
}

describe('a refund of a delivered item', () => {
  test('is added to the balance, and the partner sees it with its order, which does not change', async () => {
    const order = async () => {
      const [row] = await database.sql`select api.get_order(${partner.accountId}, ${code}) as order`
      return row?.order
    }
    const before = await order()
    expect(await refund('20', 'ticket 7')).toBe('80.00')
    expect(await balanceOf(database.sql, partner)).toBe(80)
    expect((await transactions())[0]).toMatchObject({
      ...{ type: 'adjustment', amount: 20, balanceAfter: 80, orderCode: code, paymentCode: null },
    })
    expect(await order()).toEqual(before)
    expect(await audit(database.sql)).toEqual([])
  })

  test('is in the ledger, in the operators’ log and in the order’s story', async () => {
    const sql = operator()
    await refund('15.50', 'ticket 8')
    const [entry] = await sql`
      select type, amount, item_id, refunded_order_code, reference, note, created_by from ops.ledger
      where account_id = ${partner.accountId} order by seq desc limit 1`
    expect(entry).toEqual({
      ...{ type: 'adjustment', amount: '15.50', item_id: item, refunded_order_code: code },
      ...{ reference: 'ticket 8', note: 'the first key was used', created_by: operator.login },
    })
    expect(await lastLogged(sql)).toMatchObject({
      ...{ action: 'refund_item', subject: `item ${item}` },
      detail: { amount: 15.5, reference: 'ticket 8', note: 'the first key was used' },
    })
    const story = await sql`select actor, what, detail from ops.order_story(${code})`
    expect(story.at(-1)).toEqual({
      ...{ actor: `operator ${operator.login}`, what: 'refunded by hand' },
      detail: '15.50 RUB for item 1; the balance is 75.50; ticket 8: the first key was used',
    })
    expect(story.filter(({ actor }) => actor === `operator ${operator.login}`)).toHaveLength(1)
  })

  test('with all earlier refunds is at most the item’s price', async () => {
    await refund('30', 'one')
    await expect(refund('10.01', 'two')).rejects.toMatchObject({
      ...refusals.belowZero,
      message: `of item ${item}, 10.00 can still be refunded`,
    })
    expect(await refund('10', 'two')).toBe('100.00')
    await expect(refund('0.01', 'three')).rejects.toMatchObject(refusals.belowZero)
    expect(await balanceOf(database.sql, partner)).toBe(100)
    expect(await audit(database.sql)).toEqual([])
  })

  test('asked for many times at once is at most the item’s price', async () => {
    const refunds = Array.from(
      { length: 5 },
      (_, n) => database.sql`select ops.refund_item(${item}, 15, ${`at once ${n}`}, 'why') as balance`,
    )
    const ended = await Promise.allSettled(refunds)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await balanceOf(database.sql, partner)).toBe(90)
  })

  test('whose reference is repeated changes nothing; for another amount, item or purpose it is refused', async () => {
    const sql = operator()
    await refund('40', 'ticket 9')
    const logged = await timesLogged(sql)
    expect(await refund('40.00', 'ticket 9')).toBe('100.00')
    expect(await timesLogged(sql)).toBe(logged)
    await expect(refund('39', 'ticket 9')).rejects.toMatchObject(refusals.taken)
    const other = await newOrder()
    await answer(database.sql, other.item, completed({ codes: ['C', 'D'] }))
    await expect(refund('40', 'ticket 9', 'why', other.item)).rejects.toMatchObject(refusals.taken)
    const adjusted = sql`select ops.adjust(${partner.accountId}, 40, 'ticket 9', 'why')`
    await expect(adjusted).rejects.toMatchObject(refusals.taken)
    expect(await balanceOf(database.sql, partner)).toBe(60)
  })

  test.each([
    ['nothing', '0', 'why'],
    ['less than nothing', '-1', 'why'],
    ['half a kopeck', '0.005', 'why'],
    ['an amount without a note', '1', ' '],
  ])('of %s is refused', async (_, amount, note) => {
    await expect(refund(amount, 'reference', note)).rejects.toMatchObject(refusals.wrongArgument)
  })
})

test('only an item that was delivered is refunded by hand; of a part, that part', async () => {
  const open = await newOrder()
  await expect(refund('1', 'open', 'why', open.item)).rejects.toMatchObject({
    ...refusals.wrongState,
    message: `item ${open.item} is open: it is refunded by itself if it fails`,
  })
  await answer(database.sql, open.item, failed({ codes: ['C'] }))
  const [rest] = await operator()`
    select item_id from ops.order_items where order_code = ${open.code} and status = 'failed'`
  await expect(refund('1', 'rest', 'why', rest?.item_id)).rejects.toMatchObject(refusals.wrongState)
  await expect(refund('20.01', 'part', 'why', open.item)).rejects.toMatchObject(refusals.belowZero)
  expect(await refund('20', 'part', 'why', open.item)).toBe('60.00')
  expect(await audit(database.sql)).toEqual([])
})
