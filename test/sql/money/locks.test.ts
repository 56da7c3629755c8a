import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { failed, leaseCalls, record } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const { sql, partner, order } = itemTests()

const ledger = async () => [
  ...(await sql()`
    select seq::int, type, balance_after::float from ops.ledger where account_id = ${partner().accountId} order by seq`),
]

describe('a change of a balance waits for the change before', () => {
  test('so that a reference that is being booked is found', async () => {
    const deposit = (session = sql()) =>
      session`select ops.deposit(${partner().accountId}, 10, 'invoice 1')::float as balance`
    expect(await whileHeld(sql(), deposit, deposit)).toEqual([{ balance: 1010 }])
    expect(await ledger()).toHaveLength(2)
  })

  test('so that an adjustment takes no more than there is then', async () => {
    const adjust = (reference: string, session = sql()) =>
      session`select ops.adjust(${partner().accountId}, -600, ${reference}, 'fees')`
    const second = whileHeld(
      sql(),
      (holder) => adjust('first', holder),
      () => adjust('second'),
    )
    await expect(second).rejects.toThrow('would bring it below zero')
    expect((await ledger()).at(-1)).toEqual({ seq: 2, type: 'adjustment', balance_after: 400 })
  })

  test('so that a refund comes after an order that is being placed', async () => {
    const { item } = await order()
    const [call] = await leaseCalls(sql(), [item])
    if (call === undefined) throw new Error('no call is due')
    const holder = await sql().reserve()
    await holder`begin`
    await place(holder, partner())
    const early = await record(sql(), call, failed())
    await holder`commit`
    holder.release()
    expect([early, await record(sql(), call, failed())]).toEqual(['busy', 'settled'])
    expect(await ledger()).toEqual([
      { seq: 1, type: 'deposit', balance_after: 1000 },
      { seq: 2, type: 'order_charge', balance_after: 989.5 },
      { seq: 3, type: 'order_charge', balance_after: 979 },
      { seq: 4, type: 'order_refund', balance_after: 989.5 },
    ])
    expect(await audit(sql())).toEqual([])
  })
})
