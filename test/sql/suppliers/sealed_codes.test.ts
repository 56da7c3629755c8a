import { expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { createSealing } from '../../../src/sealing/sealing.ts'
import { dataKeysOf, joined } from '../../support/data_keys.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, finishCalls, hold, leaseCalls } from '../../support/items.ts'
import { inNewSession, mostRead } from '../../support/sql/plans.ts'

// Codes are sealed before they reach SQL, each time into another text. SQL compares them by their fingerprints.
const { database, sql, keys: orderKeys, read, itemOf, push, alertsOf } = itemTests()
const keys = dataKeysOf('k1')
const before = createSealing(keys, 'fingerprint key')
const after = createSealing(joined(dataKeysOf('k2'), keys), 'fingerprint key')

/** The codes as a worker seals them: under k1, or under k2 after a rotation of the keys. */
const sealed = (item: string, codes: string[], sealing = before) => codes.map((code) => sealing.sealCode(code, item))

/** The codes that the partner reads. */
async function codesOf(code: string): Promise<string[]> {
  const body = JSON.parse(
    await after.openCodes(JSON.stringify(await read(code)).replaceAll('{"code":"', '{"code" : "')),
  )
  return body.items.flatMap((item: { cdKeys?: { code: string }[] }) => item.cdKeys?.map((key) => key.code) ?? [])
}

test('the order shows sealed codes with their item, which opens them', async () => {
  const { code, item } = await orderKeys(2)
  expect(await answer(sql(), item, completed({ codes: sealed(item, ['A', 'B']) }))).toBe('settled')
  expect(await codesOf(code)).toEqual(['A', 'B'])
})

test('an answer that repeats a sealed code is held', async () => {
  const { item } = await orderKeys(2)
  expect(await answer(sql(), item, completed({ codes: sealed(item, ['A', 'A']) }))).toBe('held')
  expect(await sql()`select from supply.item_keys where item_id = ${item}`).toHaveLength(1)
})

test('a push with the same codes is a repeat, also after a rotation of the keys', async () => {
  const { item } = await orderKeys(1)
  await answer(sql(), item, completed({ codes: sealed(item, ['A']) }))
  for (const sealing of [before, after, after])
    expect(await push('first', item, completed({ codes: sealed(item, ['A'], sealing) }))).toBe('recorded')
  const attempts = await sql()`
    select verdict, repeats from supply.supplier_attempts where item_id = ${item} and method = 'push'`
  expect(attempts).toEqual([{ verdict: 'repeated', repeats: 2 }])
  expect(await push('first', item, completed({ codes: sealed(item, ['B']) }))).toBe('recorded')
  expect(await alertsOf('contradicting_result:first')).toBe(1)
})

test('an item that is held with sealed codes settles with the same codes, also after a rotation', async () => {
  const { code, item } = await orderKeys(2)
  await answer(sql(), item, hold(sealed(item, ['A'])))
  await sql()`select ops.poll_now(${item})`
  expect(await answer(sql(), item, completed({ codes: sealed(item, ['A', 'B'], after) }))).toBe('settled')
  expect(await codesOf(code)).toEqual(['A', 'B'])
})

test('a sealed code that was sold before is alerted', async () => {
  const first = await orderKeys(1)
  const second = await orderKeys(1)
  const alerts = await alertsOf('sold_twice:first')
  await answer(sql(), first.item, completed({ codes: sealed(first.item, ['SOLD']) }))
  await answer(sql(), second.item, completed({ codes: sealed(second.item, ['SOLD'], after) }))
  expect(await alertsOf('sold_twice:first')).toBe(alerts + 1)
  // The alert names all orders.
  const third = await orderKeys(1)
  await answer(sql(), third.item, completed({ codes: sealed(third.item, ['SOLD']) }))
  const occurrences = await sql()`select message from supply.occurrences order by id desc limit 1`
  const [one, two, three] = [first.code, second.code, third.code]
  expect(occurrences).toEqual([{ message: `supplier first gave the same code for orders ${one}, ${two} and ${three}` }])
})

test('an operator gives the codes that a held item lacks', async () => {
  const { code, item } = await orderKeys(2)
  await answer(sql(), item, failed({ codes: sealed(item, ['KEPT', 'KEPT']) }))
  expect((await itemOf(item)).held_at).not.toBeNull()
  await sql()`select ops.settle_item(${item}, 'completed', ${['MISSING']}, reason => 'a test')`
  expect(await codesOf(code)).toEqual(['KEPT', 'MISSING'])
})

test('an operator gives all codes of an item that was given too many sealed ones', async () => {
  const { code, item } = await orderKeys(1)
  await answer(sql(), item, completed({ codes: sealed(item, ['FIRST', 'SECOND']) }))
  await sql()`select ops.settle_item(${item}, 'completed', ${['SECOND']}, reason => 'a test')`
  expect(await codesOf(code)).toEqual(['SECOND'])
})

test('the codes of a result are each looked up by an index, not among all codes', async () => {
  const count = 40
  const { item } = await orderKeys(count)
  const codes = sealed(
    item,
    Array.from({ length: count }, (_, n) => `CODE-${n}`),
  )
  const calls = await leaseCalls(sql(), [item])
  await inNewSession(database.url, plansByKey, async (session) => {
    const { statements } = await session.explained(async (own) => {
      expect(await finishCalls(own, calls, completed({ codes }))).toMatchObject({ verdicts: ['settled'] })
      return []
    })
    expect(mostRead(statements)).toBeLessThan(2 * count)
  })
})
