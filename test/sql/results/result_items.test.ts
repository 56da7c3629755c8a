import { expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed } from '../../support/items.ts'
import { products } from '../../support/partner.ts'

// The items in the results by pull: what a partner needs to map a result to rows of its own.
const { sql, partner, order, read } = itemTests()

type Item = { id: string; productId: number; status: string }

async function itemsOf(code: string): Promise<Item[] | undefined> {
  const of = partner()
  const [row] = await sql()`select body from api.list_results(${of.accountId}, ${of.keyId}, 0, 100)`
  const results: { orderCode: string; items: Item[] }[] = row?.body.results
  return results.find(({ orderCode }) => orderCode === code)?.items
}

test('the items of a result are those of the order, in its order, without codes and texts for buyers', async () => {
  const { code, items } = await order({
    items: [
      { productId: products.expensive },
      { productId: products.key, quantity: 3 },
      { productId: products.topUp, quantity: 2 },
    ],
  })
  const [expensive = '', keys = '', topUp = ''] = items
  await answer(sql(), topUp, completed())
  await answer(sql(), keys, failed({ codes: ['SECRET-1', 'SECRET-2'], errorCode: 'OUT_OF_KEYS' }))
  expect(await itemsOf(code)).toBeUndefined()
  await answer(sql(), expensive, failed({ errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден.' }))

  const found = await itemsOf(code)
  expect(found).toHaveLength(4)
  expect(found?.map(({ status }) => status)).toEqual(['failed', 'completed', 'failed', 'completed'])
  const ofOrder: object[] = (await read(code)).items
  expect(found?.map((item) => Object.keys(item))).toEqual(
    ofOrder.map(() => [
      ...['id', 'productId', 'productName', 'amount', 'price', 'status', 'refundedAmount', 'errorCode'],
    ]),
  )
  expect(ofOrder).toMatchObject(found ?? [])
  expect(found?.[0]).toMatchObject({ id: expensive, productId: products.expensive, errorCode: 'PLAYER_NOT_FOUND' })
  expect(JSON.stringify(found)).not.toContain('SECRET')
})
