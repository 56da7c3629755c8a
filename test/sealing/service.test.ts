import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOperator } from '../../src/commands/connections.ts'
import { findCode, startSealing, webhookSecretOf } from '../../src/commands/sealing.ts'
import { dataKeysOf, joined } from '../support/data_keys.ts'
import { testDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'
import { codesOf, startWholeService, type WholeService } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const dataKeys = dataKeysOf('k1')
let service: WholeService
beforeAll(async () => {
  service = await startWholeService(database, { dataKeys })
})
afterAll(() => service.close())

const delivers = (codes: string[]) => ({ status: 200, json: { status: 'completed', codes } })

/** How many rows of the tables with codes hold a text. */
async function rowsWith(text: string): Promise<number> {
  const [row] = await database.sql`
    select (select count(*) from supply.item_keys k where k::text like ${`%${text}%`})
      + (select count(*) from supply.supplier_attempts a where a::text like ${`%${text}%`})
      + (select count(*) from supply.events e where e::text like ${`%${text}%`}) as count`
  return Number(row?.count)
}

test('a partner reads the codes in the order and in its event, and the database holds them sealed', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  const codes = ['JOURNEY-"1"', 'JOURNEY-Я\\2']
  service.supplier.on('*', { put: delivers(codes) })
  const items = [{ productId: products.key, quantity: 2 }]
  const { code } = await service.order(partner, { callbackUrl: receiver.url, items })
  expect(codesOf(await service.final(partner, code))).toEqual(codes)
  const { event } = await receiver.waitFor(({ event }) => event?.data.orderCode === code, 45_000)
  expect(event).toMatchObject({ data: { items: [{ cdKeys: codes.map((code) => ({ code })) }] } })
  expect(await rowsWith('JOURNEY')).toBe(0)
  expect(await rowsWith('sealed:k1:')).toBe(4)
})

test('the signing secret is sealed from the first delivery on, and operators read it with the keys', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.on('*', () => delivers([]))
  const items = [{ productId: products.topUp, deliveryData: { gameUserId: '1' } }]
  const { code } = await service.order(partner, { callbackUrl: receiver.url, items })
  const { verified } = await receiver.waitFor(({ event }) => event?.data.orderCode === code, 45_000)
  expect(verified).toBe(true)
  const account = String(partner.accountId)
  const [row] = await database.sql`select secret from supply.webhook_secrets where account_id = ${account}`
  expect(row?.secret).toMatch(/^sealed:k1:[A-Za-z0-9_-]+$/)
  const secret = await asOperator(database.url, (db) => webhookSecretOf(db, dataKeys, account))
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  await expect(asOperator(database.url, (db) => webhookSecretOf(db, dataKeysOf('k1'), account))).rejects.toThrow(
    `DATA_KEYS has no key that opens the secret of account ${account}`,
  )
  expect(await database.sql`select subject from ops.operator_log where action = 'webhook_secret'`).toMatchObject(
    Array(2).fill({ subject: `account ${account}` }),
  )
})

test('a code that cannot be opened alerts operators, and spoils neither other orders nor their events', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.on('*', ({ reference }) => delivers([`CODE-${reference}`]))
  const items = [{ productId: products.key }]
  const good = await service.order(partner, { items, callbackUrl: receiver.url })
  const bad = await service.order(partner, { items })
  await service.final(partner, good.code)
  const { items: [item] = [] } = await service.final(partner, bad.code)
  await database.sql`
    update supply.item_keys set code = replace(code, 'sealed:k1:', 'sealed:k1:A') where item_id = ${item?.id ?? ''}`
  const answer = await service.api.get(`/b2b/orders/${bad.code}`, { key: partner.key })
  expect([answer.status, answer.json.code]).toEqual([503, 'UNAVAILABLE'])
  expect(codesOf(await service.read(partner, good.code))).toHaveLength(1)
  await expect
    .poll(() => database.sql`select message from ops.alerts where cause = ${`unreadable:item ${item?.id}`}`)
    .toMatchObject([{ message: expect.stringContaining('does not open with DATA_KEYS') }])
})

test('an event whose code cannot be opened is not sent, and uses up no attempt', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner, { answer: (_, delivery) => (delivery === 1 ? 500 : 'ok') })
  service.supplier.on('*', ({ reference }) => delivers([`CODE-${reference}`]))
  const { code, items: [item] = [] } = await service.order(partner, {
    ...{ items: [{ productId: products.key }], callbackUrl: receiver.url },
  })
  const owner = `item ${item?.id}`
  await receiver.waitFor(({ event }) => event?.data.orderCode === code, 45_000)
  const events = () => database.sql`select event_id, state, attempts from ops.events where order_code = ${code}`
  await expect.poll(events).toMatchObject([{ state: 'waiting', attempts: 1 }])
  const [sent] = await database.sql`
    update supply.events e set body = replace(e.body, 'sealed:k1:', 'sealed:k1:A') from supply.events old
    where e.order_code = ${code} and old.id = e.id returning e.id, old.body`
  await database.sql`select ops.deliver_now(${sent?.id})`
  const unreadable = () => database.sql`select from ops.alerts where kind = 'unreadable' and subject = ${owner}`
  await expect.poll(unreadable).toHaveLength(1)
  await expect.poll(events).toMatchObject([{ state: 'waiting', attempts: 1 }])
  expect(receiver.received).toHaveLength(1)
  await database.sql`update supply.events set body = ${sent?.body} where id = ${sent?.id}`
  await database.sql`select ops.deliver_now(${sent?.id})`
  await expect.poll(events).toMatchObject([{ state: 'delivered', attempts: 2 }])
  const bodies = receiver.received.map(({ event }) => JSON.stringify(event))
  expect(new Set(bodies).size).toBe(1)
})

test('a process without the keys of the database does not start', async () => {
  const start = (keys: typeof dataKeys | undefined) =>
    startSealing({ dataKeys: keys }, service.api.db, 'api', undefined as never)
  const lacks = 'DATA_KEYS lacks the key k1, which sealed data of this database (docs/operations/data-keys.md)'
  await expect(start(undefined)).rejects.toThrow(lacks)
  await expect(start(dataKeysOf('k2'))).rejects.toThrow(lacks)
  await expect(start(dataKeysOf('k1'))).rejects.toThrow(
    'DATA_KEYS: the key k1 is not the one that sealed data of this database',
  )
})

test('processes that start at the same time with new keys share one fingerprint key', async () => {
  const rotated = joined(dataKeysOf('k2'), dataKeys)
  const start = () => startSealing({ dataKeys: rotated }, service.api.db, 'api', undefined as never)
  const item = '0190a0b0-0000-7000-8000-000000000001'
  const started = await Promise.all([start(), start(), start()])
  const fingerprints = started.map((sealing) => sealing.sealCode('CODE', item).split(':')[3])
  expect(new Set(fingerprints).size).toBe(1)
  expect(await database.sql`select id from supply.data_keys order by id`).toMatchObject([{ id: 'k1' }, { id: 'k2' }])
})

test('what an operator types is sealed within a second, and works as it was typed', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  const token = 'TYPED-TOKEN-1'
  await database.sql`select ops.upsert_supplier('first', ${service.supplier.url}, ${token}, push_secret => 'TYPED-PUSH-1')`
  const suppliers = () => database.sql`select token, push_secret from supply.suppliers where code = 'first'`
  const sealed = expect.stringMatching(/^sealed:k1:/)
  await expect.poll(suppliers).toEqual([{ token: sealed, push_secret: sealed }])

  service.supplier.on('*', () => delivers(['TYPED-CODE-1', 'TYPED-CODE-2', 'TYPED-CODE-3']))
  const { code } = await service.order(partner, {
    items: [{ productId: products.key, quantity: 2 }],
    callbackUrl: receiver.url,
  })
  const held = () => database.sql`select item_id, held from ops.order_items where order_code = ${code}`
  await expect.poll(held).toMatchObject([{ held: true }])
  const [item] = await held()
  expect(service.supplier.requestsFor(item?.item_id)[0]?.headers.authorization).toBe(`Bearer ${token}`)

  const typed = ['TYPED-CODE-1', 'TYPED-CODE-4']
  await database.sql`select ops.settle_item(${item?.item_id}, 'completed', ${typed}, reason => 'a test')`
  const { event } = await receiver.waitFor(({ event }) => event?.data.orderCode === code, 45_000)
  expect(event).toMatchObject({ data: { items: [{ cdKeys: typed.map((code) => ({ code })) }] } })
  await expect.poll(() => rowsWith('TYPED-')).toBe(0)
  expect(codesOf(await service.read(partner, code))).toEqual(typed)

  // The program finds a code by its fingerprint; the partner reads the new one, also in a later delivery.
  const found = (of: string, keys = dataKeys) => asOperator(database.url, (db) => findCode(db, keys, of))
  const named = { order_code: code, item_id: item?.item_id, account_id: String(partner.accountId), supplier: 'first' }
  expect(await found(' TYPED-CODE-4 ')).toMatchObject([{ ...named, replaced_at: null }])
  expect(await found('TYPED-CODE-5')).toEqual([])
  expect(await found('TYPED-CODE-4', joined(dataKeysOf('k2'), dataKeys))).toHaveLength(1)
  await expect(found('TYPED-CODE-4', dataKeysOf('k9'))).rejects.toThrow('DATA_KEYS lacks the key k1')
  await database.sql`select ops.replace_code(${item?.item_id}, 'TYPED-CODE-4', 'TYPED-CODE-5', 'used already')`
  await expect.poll(() => found('TYPED-CODE-5')).toMatchObject([named])
  expect(await found('TYPED-CODE-4')).toMatchObject([{ ...named, replaced_at: expect.any(Date) }])
  await database.sql`select ops.redeliver(event_id) from ops.events where order_code = ${code}`
  const fresh = [{ code: 'TYPED-CODE-1' }, { code: 'TYPED-CODE-5' }]
  const again = await receiver.waitFor(
    ({ event }) => event?.data.orderCode === code && JSON.stringify(event).includes('TYPED-CODE-5'),
    45_000,
  )
  expect(again.event).toMatchObject({ data: { items: [{ cdKeys: fresh }] } })
  await expect.poll(() => rowsWith('TYPED-')).toBe(0)
})
