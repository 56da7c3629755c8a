import { beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed } from '../../support/items.ts'
import { lastLogged, refusals, timesLogged } from '../../support/operator.ts'
import { balanceOf } from '../../support/orders.ts'
import { oneValue } from '../../support/sql/one_value.ts'

// What an operator refunds for an item that was delivered: two keys at 20.00, of a balance of 100.00.
const { sql, operator, partner, keys, read } = itemTests({ balance: 100, audited: true })
let code: string
let item: string

beforeEach(async () => {
  ;({ code, item } = await keys(2))
  await answer(sql(), item, completed({ codes: ['A', 'B'] }))
})

const refund = (amount: string, reference: string, note = 'the first key was used', of = item, by = operator()) =>
  oneValue(by`select ops.refund_item(${of}, ${amount}, ${reference}, ${note})`)

const balance = () => balanceOf(sql(), partner())

describe('a refund of a delivered item', () => {
  test('is added to the balance, and the partner sees it with its order, which does not change', async () => {
    const before = await read(code)
    expect(await refund('20', 'ticket 7')).toBe('80.00')
    expect(await balance()).toBe(80)
    const { transactions } = await oneValue(sql()`select api.list_transactions(${partner().accountId}, 10)`)
    expect(transactions[0]).toMatchObject({
      ...{ type: 'adjustment', amount: 20, balanceAfter: 80, orderCode: code, paymentCode: null },
    })
    expect(await read(code)).toEqual(before)
  })

  test('is in the ledger, in the operators’ log and in the order’s story', async () => {
    await refund('15.50', 'ticket 8')
    const [entry] = await operator()`
      select type, amount, item_id, refunded_order_code, reference, note, created_by from ops.ledger
      where account_id = ${partner().accountId} order by seq desc limit 1`
    expect(entry).toEqual({
      ...{ type: 'adjustment', amount: '15.50', item_id: item, refunded_order_code: code },
      ...{ reference: 'ticket 8', note: 'the first key was used', created_by: operator.login },
    })
    expect(await lastLogged(operator())).toMatchObject({
      ...{ action: 'refund_item', subject: `item ${item}` },
      detail: { amount: 15.5, reference: 'ticket 8', note: 'the first key was used' },
    })
    const story = await operator()`select actor, what, detail from ops.order_story(${code})`
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
      message: `a refund of 10.01 RUB is refused: of item ${item} (2 × Gift key, 40.00 RUB), 10.00 RUB can still be refunded`,
    })
    expect(await refund('10', 'two')).toBe('100.00')
    await expect(refund('0.01', 'three')).rejects.toMatchObject(refusals.belowZero)
    expect(await balance()).toBe(100)
  })

  test('asked for many times at once is at most the item’s price', async () => {
    const refunds = Array.from({ length: 5 }, (_, n) => refund('15', `at once ${n}`, 'why', item, sql()))
    const ended = await Promise.allSettled(refunds)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await balance()).toBe(90)
  })

  test('whose reference is repeated changes nothing; for another amount, item or purpose it is refused', async () => {
    await refund('40', 'ticket 9')
    const logged = await timesLogged(operator())
    expect(await refund('40.00', 'ticket 9')).toBe('100.00')
    expect(await timesLogged(operator())).toBe(logged)
    await expect(refund('39', 'ticket 9')).rejects.toMatchObject(refusals.taken)
    const other = await keys(2)
    await answer(sql(), other.item, completed({ codes: ['C', 'D'] }))
    await expect(refund('40', 'ticket 9', 'why', other.item)).rejects.toMatchObject(refusals.taken)
    const adjusted = operator()`select ops.adjust(${partner().accountId}, 40, 'ticket 9', 'why')`
    await expect(adjusted).rejects.toMatchObject(refusals.taken)
    expect(await balance()).toBe(60)
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
  const open = await keys(2)
  await expect(refund('1', 'open', 'why', open.item)).rejects.toMatchObject({
    ...refusals.wrongState,
    message: `item ${open.item} is open: the service refunds it if it fails`,
  })
  await answer(sql(), open.item, failed({ codes: ['C'] }))
  const [rest] = await operator()`
    select item_id from ops.order_items where order_code = ${open.code} and status = 'failed'`
  await expect(refund('1', 'rest', 'why', rest?.item_id)).rejects.toMatchObject(refusals.wrongState)
  await expect(refund('20.01', 'part', 'why', open.item)).rejects.toMatchObject(refusals.belowZero)
  expect(await refund('20', 'part', 'why', open.item)).toBe('60.00')
})
