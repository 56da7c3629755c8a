import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asOperator, connectWorker } from '../../src/commands/connections.ts'
import { reseal } from '../../src/commands/reseal.ts'
import { startSealing, webhookSecretOf } from '../../src/commands/sealing.ts'
import { type Receiver, startReceiver } from '../../src/demo/receiver/receiver.ts'
import type { DataKeys } from '../../src/sealing/data_keys.ts'
import { dataKeysOf, joined } from '../support/data_keys.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'
import { codesOf, startWholeService, type WholeService } from '../support/whole_service.ts'

/** Runs `npm run reseal` with these keys. */
async function resealWith(database: TestDatabase, dataKeys: DataKeys): Promise<string> {
  const db = connectWorker(database.url)
  try {
    return await reseal(db, await startSealing({ dataKeys }, db, 'work', undefined as never))
  } finally {
    await db.end()
  }
}

/** Everything of the database that is or was sealed, as text. */
async function storedIn({ sql }: TestDatabase): Promise<string> {
  const [row] = await sql`
    select (select json_agg(t) from (select code from supply.item_keys) t)::text
      || (select json_agg(t) from (select codes, raw from supply.supplier_attempts) t)::text
      || (select json_agg(t) from (select body from supply.events) t)::text
      || (select json_agg(t) from (select secret from supply.webhook_secrets) t)::text
      || (select json_agg(t) from (select token from supply.suppliers) t)::text
      || coalesce((select json_agg(t) from (select id, fingerprint_key from supply.data_keys) t)::text, '') as text`
  return row?.text
}

test('plain data is sealed, and a new key takes the place of an old one, under load and without a loss', async () => {
  const database = await createTestDatabase({ catalog: true })
  const [k1, k2] = [dataKeysOf('k1'), dataKeysOf('k2')]
  let service = await startWholeService(database)
  const partner = await service.partner({ balance: 100_000 })
  const bodies = new Map<string, Set<string>>()
  let secret = ''
  const receiver: Receiver = await startReceiver({
    secret: () => secret || undefined,
    answer: 'ok',
    onEvent: ({ event }) => {
      if (event !== null)
        bodies.set(event.event_id, new Set([...(bodies.get(event.event_id) ?? []), JSON.stringify(event)]))
    },
  })
  const given = new Map<string, string[]>()
  /** What the supplier answers about some items; about any other one, two codes of its own. */
  const answers = new Map<string, object>()
  const answer = ({ reference }: { reference: string }) => ({
    status: 200,
    json: { status: 'completed', codes: [1, 2].map((n) => `KEY-${reference}-${n}-"ы`) },
    ...answers.get(reference),
  })
  async function buy(of: WholeService): Promise<void> {
    const { code } = await of.order(partner, {
      items: [{ productId: products.key, quantity: 2 }],
      callbackUrl: receiver.url,
    })
    given.set(code, codesOf(await of.final(partner, code)))
  }
  const restart = async (keys: DataKeys) => {
    await service.close()
    service = await startWholeService(database, { dataKeys: keys })
    service.supplier.setAnswer(answer)
  }
  service.supplier.setAnswer(answer)

  // A held item with a code, and an answer that made no sense, are among the plain data.
  for (let n = 0; n < 3; n += 1) await buy(service)
  const holding = { status: 200, json: { status: 'failed', codes: ['HELD-1', 'HELD-1'] } }
  const senseless = { status: 200, text: 'UNUSABLE-1' }
  service.supplier.setAnswer(() => holding)
  const { code: held, items: heldItems } = await service.order(partner, {
    items: [{ productId: products.key, quantity: 2 }],
  })
  const heldItem = heldItems[0]?.id ?? ''
  answers.set(heldItem, holding)
  await expect
    .poll(() => database.sql`select held from ops.order_items where order_code = ${held}`)
    .toMatchObject([{ held: true }])
  service.supplier.setAnswer(() => senseless)
  const { items: unusable } = await service.order(partner, { items: [{ productId: products.key, quantity: 1 }] })
  await expect
    .poll(() => database.sql`select from supply.supplier_attempts where raw like 'UNUSABLE%'`)
    .not.toHaveLength(0)
  answers.set(unusable[0]?.id ?? '', { json: undefined, text: 'UNUSABLE-1' })
  const [row] = await database.sql`select ops.webhook_secret(${partner.accountId}) as secret`
  secret = row?.secret

  await restart(k1)
  const plain = /KEY-|HELD-|UNUSABLE-|scripted-token/
  expect(await storedIn(database)).toMatch(plain)
  await expect(resealWith(database, k1)).resolves.toMatch(/^sealed \d+ texts with the key k1/)
  expect(await storedIn(database)).not.toMatch(plain)

  await restart(joined(k2, k1))
  let isLoaded = true
  const load = (async () => {
    while (isLoaded) await buy(service)
  })()
  for (let n = 0; n < 2; n += 1) {
    await sleep(200)
    await expect(resealWith(database, joined(k2, k1))).resolves.toMatch(/with the key k2/)
  }
  isLoaded = false
  await load
  expect(await storedIn(database)).not.toContain('sealed:k1:')

  await restart(k2)
  for (const [code, codes] of given) expect(codesOf(await service.read(partner, code))).toEqual(codes)
  expect(await asOperator(database.url, (db) => webhookSecretOf(db, k2, String(partner.accountId)))).toBe(secret)
  answers.set(heldItem, { json: { status: 'completed', codes: ['HELD-1', 'HELD-2'] } })
  expect(codesOf(await service.final(partner, held))).toEqual(['HELD-1', 'HELD-2'])
  const [again] = service.supplier.requestsFor(unusable[0]?.id ?? '')
  expect(again?.headers.authorization).toBe('Bearer scripted-token')

  const sent = receiver.received.length
  for (const id of bodies.keys()) {
    const { status } = await service.api.post(`/b2b/events/${id}/redeliver`, { key: partner.key, body: {} })
    expect(status).toBe(202)
  }
  await expect.poll(() => receiver.received.length).toBe(sent + bodies.size)
  expect(receiver.received.every(({ verified }) => verified !== false)).toBe(true)
  for (const texts of bodies.values()) expect(texts.size).toBe(1)
  expect(await database.sql`select * from ops.audit`).toEqual([])
  await service.close()
  await receiver.close()
  await database.drop()
})

test('an order with a code that does not open stays as it is, and its key stays needed', async () => {
  const database = await createTestDatabase({ catalog: true })
  const [k1, k2] = [dataKeysOf('k1'), dataKeysOf('k2')]
  const service = await startWholeService(database, { dataKeys: k1 })
  const partner = await service.partner()
  service.supplier.setAnswer(({ reference }) => ({
    status: 200,
    json: { status: 'completed', codes: [`A-${reference}`] },
  }))
  const codes: string[] = []
  for (let n = 0; n < 2; n += 1) {
    const { code } = await service.order(partner, { items: [{ productId: products.key }] })
    await service.final(partner, code)
    codes.push(code)
  }
  const spoil = (from: string, to: string) => database.sql`
    update supply.item_keys k set code = replace(k.code, ${from}, ${to})
    from supply.order_items i join supply.orders o on o.id = i.order_id
    where k.item_id = i.id and o.code = ${codes[0] ?? ''}`
  await spoil('sealed:k1:', 'sealed:k1:A')
  await expect(resealWith(database, joined(k2, k1))).rejects.toThrow(/^1 orders and secrets could not be opened/)
  expect(await database.sql`select cause from ops.alerts where cause like 'unreadable:item %'`).toHaveLength(1)
  expect(await database.sql`select id from supply.data_keys order by id`).toHaveLength(2)

  await spoil('sealed:k1:A', 'sealed:k1:')
  await expect(resealWith(database, joined(k2, k1))).resolves.toMatch(/DATA_KEYS needs no other key now$/)
  const needed = await database.sql`select id from supply.data_keys where retired_at is null`
  expect(needed).toMatchObject([{ id: 'k2' }])
  await service.close()
  await database.drop()
})
