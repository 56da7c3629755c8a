import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, leaseCalls, record } from '../../support/items.ts'
import { balanceOf } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'

const { sql, operator, partner, order, read, eventsOf, push } = itemTests({ audited: true })

const cancel = async (code: string, of = partner()) => {
  const [row] = await sql()`select * from api.cancel_order(${of.accountId}, ${code})`
  return { result: row?.result, body: row?.body }
}
const cancelItem = (item: string, note: string | null = 'the partner asked') =>
  sql()`select ops.cancel_item(${item}, ${note})`

describe('an order that no supplier has', () => {
  test('is cancelled: its items fail with CANCELLED, it is refunded, and its event says so', async () => {
    const { code } = await order({
      callbackUrl: 'https://hooks.example/x',
      items: [{ productId: products.topUp, quantity: 2 }, { productId: products.key }],
    })
    const { result, body } = await cancel(code)
    expect(result).toBe('cancelled')
    const cancelled = { status: 'failed', errorCode: 'CANCELLED', errorMessage: 'Заказ отменён.' }
    expect(body).toMatchObject({
      ...{ code, status: 'failed', outcome: 'none', error: 'ORDER_FAILED', reason: null },
      ...{ totalAmount: 41, refundedAmount: 41, items: [cancelled, cancelled] },
    })
    expect(await balanceOf(sql(), partner())).toBe(1000)
    expect(await eventsOf(code)).toMatchObject([{ event_type: 'order.failed' }])
  })
})

describe('an item that a supplier may have', () => {
  test('is not cancelled while its call is under way, nor afterwards', async () => {
    const { code, item } = await order()
    const [call] = await leaseCalls(sql(), [item])
    expect(await cancel(code)).toEqual({ result: 'NOT_CANCELLABLE', body: null })
    await sql()`update supply.order_items set lease_expires_at = now() - interval '1 s' where id = ${item}`
    expect((await cancel(code)).result).toBe('NOT_CANCELLABLE')
    await expect(cancelItem(item)).rejects.toThrow(`item ${item} may be at supplier first`)
    expect(await record(sql(), call as never, completed())).toBe('settled')
    expect((await cancel(code)).result).toBe('NOT_CANCELLABLE')
  })
})

test('an order of another account, and an unknown one, are not found', async () => {
  const { code } = await order()
  expect(await cancel(code, await makePartner(sql()))).toEqual({ result: 'ORDER_NOT_FOUND', body: null })
  expect(await cancel('ord_unknown')).toEqual({ result: 'ORDER_NOT_FOUND', body: null })
})

test('a late result of a cancelled item changes nothing and raises an alert', async () => {
  const { code, item } = await order()
  await cancel(code)
  await push('first', item, completed())
  expect(await read(code)).toMatchObject({ status: 'failed', items: [{ errorCode: 'CANCELLED' }] })
  const alerts = await sql()`select kind, subject from ops.alerts`
  expect(alerts).toContainEqual({ kind: 'contradicting_result', subject: 'first' })
})

test('ops.cancel_item cancels an item and needs a note', async () => {
  const { code, item } = await order()
  await expect(cancelItem(item, ' ')).rejects.toThrow('note must say why')
  await cancelItem(item)
  expect(await read(code)).toMatchObject({ status: 'failed', items: [{ errorCode: 'CANCELLED' }] })
  const again = await operator.noticesOf((on) => on`select ops.cancel_item(${item}, 'again')`)
  expect(again).toEqual([expect.stringMatching(/is cancelled already: nothing changed$/)])
  const other = await order()
  await answer(sql(), other.item, failed())
  await expect(cancelItem(other.item)).rejects.toThrow('is final already')
})
