import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import type { Database } from '../../src/database/client.ts'
import { createLog } from '../../src/log.ts'
import type { Listing, SupplierAdapter } from '../../src/suppliers/adapter.ts'
import { createAdapters, type SupplierAdapters } from '../../src/suppliers/adapters.ts'
import { credentialFrom } from '../../src/suppliers/credential.ts'
import { createOfferSync } from '../../src/worker/offer_sync.ts'
import { createPace } from '../../src/worker/pace.ts'
import type { Readings } from '../../src/worker/readings.ts'
import { createSupplierCredentials } from '../../src/worker/supplier_credentials.ts'
import { b2bDriver } from '../suppliers/conformance/b2b_driver.ts'
import type { TestSupplier } from '../suppliers/conformance/driver.ts'
import { credentialRules } from '../support/credential_rules.ts'
import { testDatabase } from '../support/database.ts'
import { makePartner, type Partner, products } from '../support/partner.ts'
import { type Kinguin, startKinguin, testProduct } from '../support/servers/kinguin.ts'
import { startApi, type TestApi } from '../support/service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const real = createAdapters({ timeoutMs: 1_000 })
const made: Readings[] = []
let db: Database
let api: TestApi
let partner: Partner
let upstream: TestSupplier
let kinguin: Kinguin

beforeAll(async () => {
  db = connectWorker(database.url)
  api = await startApi(database.url)
  partner = await makePartner(sql())
  upstream = await b2bDriver.startSupplier()
  kinguin = await startKinguin()
  for (const id of [products.topUp, products.key]) await sql()`select ops.remove_offer(${id}, 'first')`
  await sql()`select ops.upsert_supplier('upstream', ${upstream.url}, ${upstream.token}, 'b2b')`
  await sql()`select ops.upsert_supplier('kinguin', ${kinguin.baseUrl}, ${kinguin.apiKey}, 'kinguin')`
})
beforeEach(async () => {
  upstream.setFault(null)
  upstream.list?.({ sku: '112', cost: '7.90', currency: 'RUB', stock: null })
  kinguin.products.set('game', testProduct('game', { price: 0.05, textQty: 2 }))
  await sql()`delete from supply.offer_changes`
  await sql()`delete from supply.offers where supplier <> 'first'`
  await sql()`update supply.suppliers set sync_due_at = null, sync_error = null, synced_at = null, per_minute = null`
  await sql()`select ops.upsert_offer(${products.topUp}, 'upstream', '112')`
  await sql()`select ops.upsert_offer(${products.key}, 'kinguin', 'game')`
})
afterEach(() => Promise.all(made.splice(0).map((each) => each.stop())))
afterAll(async () => {
  await Promise.all([real.close(), upstream.close(), kinguin.close(), api.close()])
  await db.end()
})

/** What reads lists in a worker process of its own. */
function aWorker(adapters: SupplierAdapters = real): Readings {
  const sync = createOfferSync({
    pace: createPace(db),
    ...{ db, adapters },
    credentials: createSupplierCredentials(
      db,
      credentialRules((credential) => credentialFrom(credential, {})),
    ),
    log: createLog('silent'),
  })
  made.push(sync)
  return sync
}

/** A list that says what the test says. */
function scripted(list: (skus: readonly string[], signal?: AbortSignal) => Promise<Listing>): SupplierAdapters {
  const adapter = { list: (_, skus, signal) => list(skus, signal) } as Partial<SupplierAdapter>
  return { ...real, adapterFor: () => adapter as SupplierAdapter, close: async () => {} }
}

const due = (code: string) => sql()`select ops.sync_supplier(${code})`
async function stateOf(code: string) {
  const [row] =
    await sql()`select synced_at, sync_error, sync_due_at > now() as is_later from ops.suppliers where code = ${code}`
  return row
}
const ended = (code: string) => expect.poll(async () => (await stateOf(code))?.is_later).toBe(true)
async function offerOf(supplier: string) {
  const [row] = await sql()`select cost, currency, stock, unusable from ops.offers where supplier = ${supplier}`
  return row
}
const inStock = async (id: number) =>
  (await api.get(`/b2b/catalog/products/${id}`, { key: partner.key })).json.data.inStock

describe('costs and stock follow', () => {
  test('an upstream of the own family, and the catalog follows them', async () => {
    const since = new Date()
    await due('upstream')
    await aWorker().look()
    await ended('upstream')
    expect(await offerOf('upstream')).toEqual({ cost: '7.90', currency: 'RUB', stock: null, unusable: null })
    expect(await inStock(products.topUp)).toBe(true)
    upstream.list?.({ sku: '112', cost: '7.90', currency: 'RUB', stock: 0 })
    await sql()`update supply.products set updated_at = '2020-01-01'`
    await due('upstream')
    await aWorker().look()
    await ended('upstream')
    expect(await inStock(products.topUp)).toBe(false)
    const path = `/b2b/catalog/games/space-trader/products?updatedSince=${since.toISOString()}`
    const changed = (await api.get(path, { key: partner.key })).json.data
    expect(changed).toMatchObject([{ id: products.topUp, inStock: false }])
    const body = {
      externalOrderId: 'sold-out',
      items: [{ productId: products.topUp, deliveryData: { gameUserId: '1' } }],
    }
    const refused = await api.post('/b2b/orders', { key: partner.key, body })
    expect([refused.status, refused.json.code]).toEqual([422, 'PRODUCT_UNAVAILABLE'])
  })

  test('Kinguin, whose costs are in euros', async () => {
    await due('kinguin')
    await aWorker().look()
    await ended('kinguin')
    expect(await offerOf('kinguin')).toEqual({
      ...{ cost: '0.05', currency: 'EUR', stock: 2, unusable: 'no rate from EUR to RUB' },
    })
    expect(await inStock(products.key)).toBe(false)
    await sql()`select ops.set_rate('EUR', 'RUB', 100, null)`
    expect(await inStock(products.key)).toBe(true)
    kinguin.products.delete('game')
    await due('kinguin')
    await aWorker().look()
    await ended('kinguin')
    expect(await offerOf('kinguin')).toMatchObject({ unusable: "not in the supplier's list" })
    expect(kinguin.violations).toEqual([])
  })
})

describe('a list', () => {
  test('that meets a locked product is recorded once that is free, and has not failed', async () => {
    await sql()`alter function work.record_list(text, uuid, jsonb) set lock_timeout = '50ms'`
    const holder = await sql().reserve()
    await holder`begin`
    await holder`select from supply.products where id = ${products.topUp} for no key update`
    await due('upstream')
    await aWorker().look()
    const waits = new Set<string>()
    const look = async () => {
      const rows = await sql()`
        select query_start::text as at from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%record_list%'`
      for (const { at } of rows) waits.add(at)
      return waits.size
    }
    await expect.poll(look, { interval: 5 }).toBeGreaterThan(1)
    await holder`rollback`
    holder.release()
    await ended('upstream')
    expect(await stateOf('upstream')).toMatchObject({ sync_error: null })
    expect(await offerOf('upstream')).toMatchObject({ cost: '7.90' })
    await sql()`alter function work.record_list(text, uuid, jsonb) reset lock_timeout`
  })

  test('that fails in its midst changes nothing', async () => {
    await sql()`select ops.upsert_offer(${products.topUp}, 'upstream', '112', 8)`
    // The first answer is good, so that half of the list is known.
    upstream.setFault({ damage: { status: 500, json: {} }, to: ({ path }) => !path.endsWith('/games') })
    await due('upstream')
    await aWorker().look()
    await ended('upstream')
    expect(await stateOf('upstream')).toMatchObject({ synced_at: null, sync_error: 'HTTP 500' })
    expect(await offerOf('upstream')).toMatchObject({ cost: '8.00', unusable: null })
    expect(await sql()`select from ops.offer_changes`).toHaveLength(0)
  })

  test('of a supplier without offers makes no request, and without credentials, or by a fault of ours, fails', async () => {
    await sql()`delete from supply.offers where supplier = 'upstream'`
    await due('upstream')
    await aWorker(scripted(() => Promise.reject(new Error('asked')))).look()
    await ended('upstream')
    expect(await stateOf('upstream')).toMatchObject({ sync_error: null })
    await due('kinguin')
    await aWorker(scripted(() => Promise.reject(new Error('a fault of ours')))).look()
    await ended('kinguin')
    expect(await stateOf('kinguin')).toMatchObject({ sync_error: expect.stringContaining('log') })
    await sql()`select ops.upsert_supplier('kinguin', ${kinguin.baseUrl}, 'env:SUPPLIER_SECRET_NOT_SET', 'kinguin')`
    await due('kinguin')
    await aWorker().look()
    await ended('kinguin')
    expect(await stateOf('kinguin')).toMatchObject({ sync_error: 'the environment has no SUPPLIER_SECRET_NOT_SET' })
    await sql()`select ops.upsert_supplier('kinguin', ${kinguin.baseUrl}, ${kinguin.apiKey}, 'kinguin')`
  })

  test('of many is recorded by parts', async () => {
    const count = 600
    const numbers = Array.from({ length: count }, (_, n) => n + 1001)
    const like = { game_slug: 'space-trader', price: 10, currency: 'RUB', delivery_type: 'key' }
    const many = {
      products: numbers.map((id) => ({ id, name: `P${id}`, ...like })),
      offers: numbers.map((id) => ({ product_id: id, supplier: 'upstream', sku: `p${id}`, cost: 8 })),
    }
    await sql()`select ops.load_catalog(${sql().json(many)})`
    const offers = (skus: readonly string[]) => skus.map((sku) => ({ sku, cost: '7.00', currency: 'RUB', stock: null }))
    await due('upstream')
    await aWorker(scripted(async (skus) => ({ ok: true, offers: offers(skus) }))).look()
    await ended('upstream')
    const [changed] =
      await sql()`select count(*)::int as count, count(distinct changed_at)::int as parts from ops.offer_changes`
    expect(changed).toEqual({ count: count + 1, parts: 3 })
  })

  test('ends with the worker, and another worker goes on', async () => {
    const adapters = scripted(
      (_, signal) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve({ ok: false, error: 'it was ended' }))
        }),
    )
    await due('upstream')
    const worker = aWorker(adapters)
    await worker.look()
    await worker.stop()
    expect(await stateOf('upstream')).toMatchObject({ sync_error: 'it was ended', is_later: true })
    await worker.look()
    await due('upstream')
    await aWorker().look()
    await ended('upstream')
    expect(await stateOf('upstream')).toMatchObject({ sync_error: null })
  })
})
