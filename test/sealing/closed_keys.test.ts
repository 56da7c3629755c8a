import { beforeAll, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import { reseal } from '../../src/commands/reseal.ts'
import { openSealing } from '../../src/commands/sealing.ts'
import { createSealing, owners } from '../../src/sealing/sealing.ts'
import { dataKeysOf, joined, registerFirstKey } from '../support/data_keys.ts'
import { itemTests } from '../support/item_tests.ts'
import { completed, finishCalls, leaseCalls, record, unknown } from '../support/items.ts'

// A process that still has an old key in front, also one of an earlier release: it calls the functions of SQL.
const { database, sql, keys: orderKeys, itemOf, push, partner } = itemTests({ audited: true })
const [k1, k2] = [dataKeysOf('k1'), dataKeysOf('k2')]
const [old, present] = [createSealing(joined(k1, k2), ''), createSealing(joined(k2, k1), '')]
beforeAll(() => registerFirstKey(database.url, k1))

async function resealWithKey2(maxLooks?: number): Promise<string> {
  const db = connectWorker(database.url)
  try {
    return await reseal(db, await openSealing(joined(k2, k1), db, 'work'), maxLooks)
  } finally {
    await db.end()
  }
}

const keys = async () =>
  sql()`select id, closed_at is not null as closed, retired_at is not null as retired from supply.data_keys order by id`
const codesOf = async (item: string) =>
  (await sql()`select code from supply.item_keys where item_id = ${item}`).map(({ code }) =>
    present.openCode(code, item),
  )

test('a code that a transaction under way stores while npm run reseal closes its key is sealed again', async () => {
  const { item } = await orderKeys(1)
  const [call] = await leaseCalls(sql(), [item])
  if (call === undefined) throw new Error('no call is due')
  await sql().begin(async (tx) => {
    await finishCalls(tx, [call], completed({ codes: [old.sealCode('SLOW', item)] }))
    await expect(resealWithKey2(2)).rejects.toThrow(/^a transaction of the session with the process id \d+ stays open/)
    expect(await keys()).toEqual([
      { id: 'k1', closed: true, retired: false },
      { id: 'k2', closed: false, retired: false },
    ])
  })
  await resealWithKey2()
  expect(await codesOf(item)).toEqual(['SLOW'])
  expect(await sql()`select from supply.item_keys where code like 'sealed:k1:%'`).toEqual([])
  expect(await keys()).toMatchObject([{ retired: true }, { retired: false }])
})

test('nothing that is sealed under a closed key is stored, and nothing is lost by that', async () => {
  const { item } = await orderKeys(1)
  const [call] = await leaseCalls(sql(), [item])
  if (call === undefined) throw new Error('no call is due')
  const codes = [old.sealCode('KEPT', item)]
  const secret = old.seal('secret', owners.account(partner().accountId))
  const json = (value: unknown) => sql().json(value as never)
  const token = { kind: 'token', id: 'first', old: ['first-token'], new: [old.seal('first-token', 'supplier first')] }
  const event = { kind: 'event', id: item, old: ['{}'], new: [`{"code" : "${codes[0]}:${item}"}`] }
  const stores: [string, () => Promise<unknown>][] = [
    ['a result', () => record(sql(), call, completed({ codes }))],
    ['an unusable answer', () => record(sql(), call, { ...unknown(), raw: old.seal('raw', owners.answer(item)) })],
    ['a push', () => push('first', item, completed({ codes }))],
    ['a secret', () => sql()`select work.keep_webhook_secret(${partner().accountId}, ${secret})`],
    ['what was typed', () => sql()`select work.use_typed_codes(${item}, '', ${codes})`],
    ['a token', () => sql()`select work.replace_texts(${json([token])})`],
    ['an event', () => sql()`select work.replace_texts(${json([event])})`],
    ['a key', () => sql()`select * from work.register_data_key('k1', ${old.seal('key', '')}, '{k2}', 'proof')`],
    [
      'a key of an API',
      () => sql()`select * from api.register_data_key('k1', ${old.seal('key', '')}, '{k2}', 'proof')`,
    ],
  ]
  for (const [what, store] of stores)
    await expect(store(), what).rejects.toMatchObject({
      message: 'the data key k1 seals nothing more: begin DATA_KEYS with an open one (k2)',
      ...{ code: 'KYCLS', detail: 'k2' },
    })
  expect(await itemOf(item)).toMatchObject({ lease_token: call.lease_token, completed_at: null, held_at: null })

  // The lease of the call ends, and a process with the new key asks again.
  await sql()`update supply.order_items set lease_expires_at = now() where id = ${item}`
  await sql()`update supply.supplier_attempts set started_at = now() - interval '1 minute' where item_id = ${item}`
  const [again] = await leaseCalls(sql(), [item])
  expect(again).toMatchObject({ method: 'get', reference: call.reference })
  expect(await record(sql(), again ?? call, completed({ codes: [present.sealCode('KEPT', item)] }))).toBe('settled')
  expect(await codesOf(item)).toEqual(['KEPT'])
})
