import { expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, failed } from '../../support/items.ts'
import { products } from '../../support/partner.ts'

const { sql, partner, order } = itemTests()

/** Copies a ledger row of an order as the account's next one. */
function copy(code: string, type: string) {
  return sql()`
    insert into supply.ledger (account_id, seq, type, amount, balance_after, currency, order_id, item_id, hash)
    select l.account_id, a.last_seq + 1000, l.type, l.amount, l.balance_after, l.currency, l.order_id, l.item_id, l.hash
    from supply.ledger l join supply.orders o on o.id = l.order_id join supply.accounts a on a.id = l.account_id
    where o.code = ${code} and l.type = ${type}`
}

test('the ledger takes no second charge of an order and no second refund of an item', async () => {
  const { code, items } = await order({ items: [{ productId: products.key }, { productId: products.key }] })
  for (const item of items) await answer(sql(), item, failed())
  const rows = () => sql()`
    select type, amount::float from ops.ledger
    where account_id = ${partner().accountId} and order_code = ${code} order by seq`
  const written = [
    { type: 'order_charge', amount: -40 },
    { type: 'order_refund', amount: 20 },
    { type: 'order_refund', amount: 20 },
  ]
  expect(await rows()).toEqual(written)
  for (const type of ['order_charge', 'order_refund']) {
    await expect(copy(code, type)).rejects.toMatchObject({ code: '23505' })
  }
  expect(await rows()).toEqual(written)
})
