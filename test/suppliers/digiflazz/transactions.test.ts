import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { clock } from '../../../src/clock.ts'
import type { SupplierCall } from '../../../src/suppliers/adapter.ts'
import { createDigiflazzAdapter } from '../../../src/suppliers/digiflazz/adapter.ts'
import { createDigiflazz, statusOf } from '../../support/servers/digiflazz.ts'
import { type StandIn, startStandIn } from '../../support/servers/supplier_stand_in.ts'
import { supplierCall } from '../../support/supplier_call.ts'

const digiflazz = createDigiflazz()
const adapter = createDigiflazzAdapter({ timeoutMs: 10_000 })
let standIn: StandIn

beforeAll(async () => {
  standIn = await startStandIn({ places: ({ path }) => path.endsWith('/transaction'), answer: digiflazz.answer })
})
afterEach(() => {
  standIn.setFault(null)
  expect(digiflazz.violations).toEqual([])
})
afterAll(async () => {
  await adapter.close()
  await standIn.close()
})

const callOf = (given: Partial<SupplierCall> = {}) =>
  supplierCall({
    ...{ baseUrl: `${standIn.url}/v1`, token: `${digiflazz.username}:${digiflazz.apiKey}` },
    ...{ sku: 'game86', quantity: 1, recipient: '512345', unitCost: '700.90', currency: 'IDR' },
    ...given,
  })
const lastBody = () => standIn.requests.at(-1)?.body

const failed = (errorCode: string) => ({ outcome: 'answered', status: 'failed', errorCode, codes: [], reason: null })
const notPlaced = (cause: string) => ({ outcome: 'not_placed', cause })

/** Each response code of the API's table, with what it means for an item. */
const table: [codes: string, outcome: object][] = [
  ['00', { outcome: 'answered', status: 'completed', codes: [] }],
  ['03 99', { outcome: 'answered', status: 'processing' }],
  ['01 70', { outcome: 'answered', status: 'processing', retryAfter: 120 }],
  ['49', { outcome: 'hold' }],
  ['41 42 45', notPlaced('credentials')],
  ['40 43 63 67 80 81 82 87 88', notPlaced('settings')],
  ['44 61', notPlaced('balance')],
  ['62 66 83', notPlaced('busy')],
  ['68 69', failed('OUT_OF_STOCK')],
  ['47', failed('DUPLICATE_ORDER')],
  ['51 52 54 57', failed('INVALID_PLAYER_ID')],
  ['59', failed('REGION_MISMATCH')],
  ['53 55 58 71', failed('MAINTENANCE')],
  ['85', failed('PURCHASE_LIMIT')],
  ['02 50 60 72 73 74 84 86', failed('SUPPLIER_ERROR')],
]
const rows = table.flatMap(([codes, outcome]) => codes.split(' ').map((rc) => [rc, outcome] as const))

describe('a response code', () => {
  test.each(rows)('%s has its outcome, and none with another status', async (rc, outcome) => {
    const call = callOf()
    digiflazz.setCode(call.reference, rc)
    expect(await adapter.put(call)).toMatchObject(outcome)
    for (const status of ['Sukses', 'Pending', 'Gagal', ''].filter((status) => status !== statusOf(rc))) {
      standIn.setFault({ damage: { status: 200, json: { data: { ...naming(call), rc, status } } } })
      expect(await adapter.put(call)).toMatchObject({ outcome: 'unknown' })
    }
  })

  test('that the table does not have says nothing', async () => {
    const known = new Set(rows.map(([rc]) => rc))
    const others = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0')).filter((rc) => !known.has(rc))
    const call = callOf()
    for (const rc of [...others, '', '0', '000', 'ok']) {
      standIn.setFault({ damage: { status: 200, json: { data: { ...naming(call), rc, status: 'Gagal' } } } })
      expect(await adapter.put(call)).toMatchObject({ outcome: 'unknown', error: 'an unknown rc' })
    }
  })

  test.each(rows)('%s without status, or without our reference, ends no item', async (rc, outcome) => {
    const call = callOf()
    for (const data of [
      { ...naming(call), rc },
      { rc, status: statusOf(rc) },
    ]) {
      standIn.setFault({ damage: { status: 200, json: { data } } })
      const isOpen = 'cause' in outcome && 'status' in data
      expect(await adapter.put(call)).toMatchObject(isOpen ? outcome : { outcome: 'unknown' })
    }
  })
})

const naming = ({ reference, sku, recipient }: SupplierCall) => ({
  ...{ ref_id: reference, buyer_sku_code: sku, customer_no: recipient },
})

test.each([-1, 1e300, '700'])(
  'a price of %j that makes no sense is left out, and the transaction counts',
  async (price) => {
    const call = callOf()
    standIn.setFault({
      damage: { status: 200, json: { data: { ...naming(call), rc: '00', status: 'Sukses', price } } },
    })
    const outcome = await adapter.put(call)
    expect(outcome).toMatchObject({ outcome: 'answered', status: 'completed' })
    expect(outcome).not.toHaveProperty('unitPrice')
  },
)

test('a transaction in doubt is asked for after 2 and 10 minutes, and has failed then', async () => {
  const call = callOf()
  digiflazz.setCode(call.reference, '01')
  const after = async (seconds: number) =>
    adapter.put({ ...call, firstSentAt: new Date(0), doubtedAt: new Date(Date.now() - seconds * 1000) })
  expect(await adapter.put(call)).toMatchObject({ status: 'processing', retryAfter: 120, errorCode: 'RC_01' })
  expect(await after(60)).toMatchObject({ status: 'processing', retryAfter: 120 })
  expect(await after(120)).toMatchObject({ status: 'processing', retryAfter: 600 })
  expect(await after(720)).toMatchObject({ status: 'failed', errorCode: 'TIMEOUT' })
  digiflazz.setCode(call.reference, '00')
  expect(await after(720)).toMatchObject({ status: 'completed' })
})

test('a request names one unit, the recipient and the highest price, in whole rupiah', async () => {
  const call = callOf({ recipient: 'a.b@example.com', eventsUrl: 'https://supply.example/hook' })
  await adapter.put(call)
  expect(lastBody()).toEqual({
    ...naming(call),
    ...{ username: 'supply', sign: expect.stringMatching(/^[0-9a-f]{32}$/), max_price: 700, allow_dot: true },
  })
  await adapter.put(callOf())
  expect(lastBody()).not.toHaveProperty('allow_dot')
})

test.each([
  ['two units', { quantity: 2 }, failed('OUT_OF_STOCK')],
  ['an item of keys', { deliversKeys: true }, notPlaced('settings')],
  ['an offer in another currency', { currency: 'EUR' }, notPlaced('settings')],
  ['an offer without a cost', { unitCost: null }, notPlaced('settings')],
  ['an offer that costs less than a rupiah', { unitCost: '0.90' }, notPlaced('settings')],
  ['an offer without a recipient', { recipient: null }, notPlaced('settings')],
  ['a token without a user name', { token: 'key-of-nobody' }, notPlaced('settings')],
])('%s is not sent', async (_, given, outcome) => {
  const count = standIn.requests.length
  expect(await adapter.put(callOf(given))).toMatchObject(outcome)
  expect(standIn.requests).toHaveLength(count)
})

test('the check of a supplier asks for the balance, and sends no transaction', async () => {
  expect(await adapter.get(callOf())).toEqual({ outcome: 'not_received' })
  expect(standIn.requests.at(-1)).toMatchObject({ path: '/v1/cek-saldo', places: false })
  const wrong = await adapter.get(callOf({ token: 'supply:another-key' }))
  expect(wrong).toMatchObject({ outcome: 'unknown', error: 'HTTP 200: rc 41' })
  expect(await adapter.get(callOf({ token: 'no-user' }))).toMatchObject({ outcome: 'unknown' })
})

test('the balance is the deposit, and a refusal says its code', async () => {
  expect(await adapter.balance?.(callOf())).toEqual({ ok: true, balance: 990_000, currency: 'IDR' })
  expect(standIn.requests.at(-1)).toMatchObject({ path: '/v1/cek-saldo', body: { cmd: 'deposit', username: 'supply' } })
  expect(await adapter.balance?.(callOf({ token: 'supply:another-key' }))).toEqual({ ok: false, error: 'rc 41' })
  expect(await adapter.balance?.(callOf({ token: 'no-user' }))).toMatchObject({
    ok: false,
    error: expect.stringContaining('the form'),
  })
})

test('an event says how a transaction ended, also one that was turned back', () => {
  const read = (status: string) =>
    adapter.readEvent?.(digiflazz.event('update', { ref_id: crypto.randomUUID(), status }))
  expect(read('Gagal')).toMatchObject({ ok: true, says: 'failed' })
  expect(read('Sukses')).toMatchObject({ ok: true, says: 'delivered' })
  expect(read('Pending')).not.toHaveProperty('says')
})

describe('the list', () => {
  const list = async (changes: object) => {
    digiflazz.setProduct('game86', changes)
    const listing = await adapter.list?.(callOf(), ['game86', 'none'])
    return listing?.ok ? listing.offers : listing
  }
  const offer = (stock: number | null) => [{ sku: 'game86', cost: '700.00', currency: 'IDR', stock }]

  test('has no stock of what buyer or seller have switched off, and no number where it is unlimited', async () => {
    expect(await list({})).toEqual(offer(12))
    expect(await list({ buyer_product_status: false })).toEqual(offer(0))
    expect(await list({ seller_product_status: false })).toEqual(offer(0))
    expect(await list({ unlimited_stock: true, stock: 0 })).toEqual(offer(null))
  })

  test.each([
    ['2026-01-01T17:00:00Z', 0],
    ['2026-01-01T16:29:00Z', 12],
    ['2026-01-01T16:30:00Z', 0],
    ['2026-01-01T18:00:00Z', 12],
  ])('closes a product from 23:30 to 1:0 in Jakarta: at %s', async (now, stock) => {
    const time = vi.spyOn(clock, 'now').mockReturnValue(new Date(now))
    expect(await list({ start_cut_off: '23:30', end_cut_off: '1:0' })).toEqual(offer(stock))
    time.mockRestore()
  })

  test.each([
    ['price', '700'],
    ['price', 700.5],
    ['stock', -1],
    ['start_cut_off', '25:00'],
  ])('has a problem of the entry whose %s is %s alone', async (field, value) => {
    expect(await list({ [field]: value })).toEqual([{ sku: 'game86', problem: expect.stringContaining(field) }])
  })

  test('is an error where the API refuses it, as within five minutes of the last one', async () => {
    standIn.setFault({ damage: { status: 200, json: { data: { rc: '83', status: 'Gagal', message: 'limit' } } } })
    expect(await list({})).toEqual({ ok: false, error: 'rc 83' })
  })
})
