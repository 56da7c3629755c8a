import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import type { Database } from '../../src/database/client.ts'
import { createAdapters } from '../../src/supplier/adapters.ts'
import { answered } from '../../src/supplier/outcome.ts'
import { createWorkerMetrics } from '../../src/worker/metrics.ts'
import { createSupplierCalls, type LeasedCall } from '../../src/worker/supplier_calls.ts'
import { createSupplierCredentials } from '../../src/worker/supplier_credentials.ts'
import { testDatabase } from '../support/database.ts'
import { orderRequest, placeAll } from '../support/orders.ts'
import { makeCatalog, makePartner, products } from '../support/partner.ts'

const database = testDatabase()
let db: Database
let calls: ReturnType<typeof createSupplierCalls>
/** How many results each statement had. */
let sizes: number[]

beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
  db = connectWorker(database.url)
})
afterAll(() => db.end())
beforeEach(() => {
  sizes = []
  const counting: Database = {
    ...db,
    call: (name, ...[args]) => {
      if (args !== undefined && 'results' in args) sizes.push((args.results as unknown[]).length)
      return db.call(name, args as never)
    },
  }
  calls = createSupplierCalls({
    db: counting,
    adapters: createAdapters(),
    credentials: createSupplierCredentials(db, (credential) => credential),
    deadlineHours: 24,
    unsafeMinutes: 30,
    supplierCap: 100,
    signal: new AbortController().signal,
    metrics: createWorkerMetrics(db),
  })
})

/** Begins the calls for so many orders of a key product, and finishes each, at the same moment, with so many codes. */
async function finishAll(count: number, codes: number): Promise<string[]> {
  const partner = await makePartner(database.sql)
  const items = [{ productId: products.key }]
  const requests = Array.from({ length: count }, (_, n) => ({
    ...orderRequest(partner, { items }),
    ordinal: n,
  }))
  const placed = await placeAll(database.sql, requests)
  const leased = await Promise.all(placed.map(({ body }) => calls.begin(body.items[0]?.id ?? '')))
  const given = Array.from({ length: codes }, (_, n) => `code ${n}`)
  const nothing = { reference: null, errorCode: null, reason: null, supplierOrderId: null }
  const said = answered({ status: 'completed', codes: given, ...nothing }, 200)
  return Promise.all(leased.flatMap((call) => (call === null ? [] : calls.finish(call, said))))
}

test('results that come together share statements', async () => {
  expect(new Set(await finishAll(40, 1))).toEqual(new Set(['settled']))
  expect(sizes).toEqual([1, 39])
})

test('a call without an adapter of its protocol is not made: nothing is sent, and what was sent stays unknown', async () => {
  const leased = { protocol: 'telepathy', supplier: 'first' } as LeasedCall
  expect(await calls.call({ ...leased, method: 'put' })).toMatchObject({
    outcome: 'not_placed',
    cause: 'settings',
  })
  expect(await calls.call({ ...leased, method: 'get' })).toMatchObject({ outcome: 'unknown' })
})

test('results with many codes share none, for two of them are a statement’s work', async () => {
  expect(await finishAll(3, 6_000)).toEqual(['held', 'held', 'held'])
  expect(sizes).toEqual([1, 1, 1])
})
