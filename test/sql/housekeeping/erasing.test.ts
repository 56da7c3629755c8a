import { beforeEach, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, finishCalls, leaseCalls, unknown } from '../../support/items.ts'
import { refusals } from '../../support/operator.ts'
import { audit, place } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { growOld } from '../../support/sql/passing_time.ts'

const { sql, operator, partner, itemOf, push } = itemTests({ isolated: true, audited: true })
const player = 'player-4711'
const items = [{ productId: products.topUp, deliveryData: { gameUserId: player, server: 'eu' } }]

beforeEach(() => sql()`update supply.housekeeping set pass_count = null`)

/** An order of the player, whose supplier repeated the id in an answer that makes no sense. */
async function placed(externalOrderId: string, { ends = true } = {}): Promise<string> {
  const { body } = await place(sql(), partner(), { externalOrderId, items })
  const item = body.items[0]?.id ?? ''
  await answer(sql(), item, { ...unknown(), raw: `<p>${player}</p>` })
  if (ends) await answer(sql(), item, completed())
  return item
}

const erase = (value = player, note = 'mail of 3 May') =>
  oneValue(sql()`select ops.erase_delivery_data(${value}, ${note})`).then(Number)
const repeat = async (externalOrderId: string, gameUserId = player) => {
  const data = { gameUserId, server: 'eu' }
  const { result } = await place(sql(), partner(), {
    externalOrderId,
    items: [{ productId: products.topUp, deliveryData: data }],
  })
  return result
}
/** The tables of the service in which the text stands. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await sql()<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('supply'::regnamespace, 'graphile_worker'::regnamespace)`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await sql().unsafe(`select from ${name} t where strpos(t::text, $1) > 0 limit 1`, [text])
    if (rows.length > 0) found.push(name)
  }
  return found.sort()
}

test('a player’s id is erased from ended orders wherever it stands, and a repeat is still a replay', async () => {
  const item = await placed('first')
  await placed('second')
  expect(await tablesWith(player)).toEqual(['supply.order_items', 'supply.orders', 'supply.supplier_attempts'])
  expect(await erase()).toBe(2)
  expect(await tablesWith(player)).toEqual([])
  expect(await itemOf(item)).toMatchObject({ delivery_data: {}, status: 'completed' })
  expect(await repeat('first')).toBe('replayed')
  expect(await repeat('second')).toBe('replayed')
  expect(await repeat('first', 'player-4712')).toBe('IDEMPOTENCY_KEY_REUSED')
  const again = await operator.noticesOf((on) => on`select ops.erase_delivery_data(${player}, 'mail of 3 May')`)
  expect(again).toEqual(['no ended order holds the value: nothing changed'])
  expect(await repeat('first')).toBe('replayed')
  expect(
    await sql()`select detail from ops.operator_log where action = 'erase_delivery_data' order by at`,
  ).toMatchObject([{ detail: { orders: 2, open: 0, note: 'mail of 3 May' } }, { detail: { orders: 0 } }])
})

test('an answer that comes after the erasing brings nothing back', async () => {
  const item = await placed('late', { ends: false })
  const calls = await leaseCalls(sql(), [item])
  expect(await push('first', item, completed())).toBe('recorded')
  expect(await erase()).toBe(1)
  await finishCalls(sql(), calls, { ...unknown(), raw: `<p>${player}</p>` })
  expect(await tablesWith(player)).toEqual([])
})

test('an open order keeps its delivery data until it has ended', async () => {
  const item = await placed('open', { ends: false })
  expect(await erase()).toBe(0)
  expect(await itemOf(item)).toMatchObject({ delivery_data: { gameUserId: player } })
  await answer(sql(), item, completed())
  expect(await erase()).toBe(1)
  expect(await itemOf(item)).toMatchObject({ delivery_data: {} })
})

test('equal requests of two orders have different fingerprints', async () => {
  await placed('first')
  await placed('second')
  await erase()
  expect(await sql()`select distinct items_fingerprint from supply.orders`).toHaveLength(2)
})

test('an order that another transaction has locked is left to the next call', async () => {
  await placed('first')
  await sql().begin(async (holder) => {
    await holder`select from supply.orders for update`
    expect(await erase()).toBe(0)
  })
  expect(await erase()).toBe(1)
})

test.each([
  ['', 'a note'],
  [player, ' '],
  [player, `erase ${player}`],
])('erasing %j with the note %j is refused', async (value, note) => {
  await expect(erase(value, note)).rejects.toMatchObject(refusals.wrongArgument)
})

test('workers erase what ended before RETAIN_DELIVERY_DATA_DAYS, in parts, and no open order', async () => {
  const old = await placed('old')
  const open = await placed('open', { ends: false })
  await growOld(sql(), '31 days')
  const young = await placed('young')
  const pass = () => oneValue(sql()`select work.remove_old('delivery data', '30 days', true)`)
  expect(await pass()).toBe(false)
  expect(await itemOf(old)).toMatchObject({ delivery_data: {} })
  for (const item of [open, young]) expect(await itemOf(item)).toMatchObject({ delivery_data: { gameUserId: player } })
  expect(await repeat('old')).toBe('replayed')
  expect(await sql()`select removed from ops.housekeeping where what = 'delivery data'`).toEqual([{ removed: '1' }])
  expect(await audit(sql())).toEqual([])
})
