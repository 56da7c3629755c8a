import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import type { Database } from '../../src/database/client.ts'
import type { SupplierCall } from '../../src/suppliers/adapter.ts'
import { createAdapters } from '../../src/suppliers/adapters.ts'
import { createB2bAdapter } from '../../src/suppliers/b2b/adapter.ts'
import { answered, type SupplierOutcome, unknown } from '../../src/suppliers/outcome.ts'
import { createWorkerMetrics } from '../../src/worker/metrics.ts'
import { createSupplierCaller } from '../../src/worker/supplier_caller.ts'
import { createSupplierCredentials } from '../../src/worker/supplier_credentials.ts'
import type { LeasedCall } from '../../tasks/call_supplier.ts'
import { runCallSupplier } from '../support/call_supplier.ts'
import { credentialRules } from '../support/credential_rules.ts'
import { testDatabase } from '../support/database.ts'
import { orderRequest, placeAll } from '../support/orders.ts'
import { makePartner, products } from '../support/partner.ts'

const database = testDatabase({ catalog: true })
let db: Database
let call: (leased: LeasedCall) => Promise<SupplierOutcome>
let metrics: ReturnType<typeof createWorkerMetrics>
let counting: Database
let cutOff: AbortController
/** How many results each statement had. */
let sizes: number[]

/** Adapters of which that of b2b makes no calls, but keeps them. */
const received: SupplierCall[] = []
const adapters = createAdapters({
  factories: {
    b2b: (options) => ({
      ...createB2bAdapter(options),
      put: async (call) => {
        received.push(call)
        return unknown('it only listens')
      },
    }),
  },
})

beforeAll(async () => {
  db = connectWorker(database.url)
})
afterAll(() => Promise.all([adapters.close(), db.end()]))
beforeEach(() => {
  sizes = []
  cutOff = new AbortController()
  counting = {
    ...db,
    call: (name, ...[args]) => {
      if (args !== undefined && 'results' in args) sizes.push((args.results as unknown[]).length)
      return db.call(name, args as never)
    },
  }
  metrics = createWorkerMetrics(db)
  call = createSupplierCaller({
    ...{ adapters, metrics, publicUrl: 'https://supply.example', signal: cutOff.signal },
    aliveUntil: () => Number.POSITIVE_INFINITY,
    pace: async () => {},
    credentials: createSupplierCredentials(
      db,
      credentialRules((credential) => credential),
    ),
  })
})

/** Runs the tasks of so many orders of a key product at once; the supplier answers each with so many codes. */
async function finishAll(count: number, codes: number): Promise<(string | null)[]> {
  const partner = await makePartner(database.sql)
  const items = [{ productId: products.key }]
  const requests = Array.from({ length: count }, (_, n) => ({ ...orderRequest(partner, { items }), ordinal: n }))
  const placed = await placeAll(database.sql, requests)
  const given = Array.from({ length: codes }, (_, n) => `code ${n}`)
  const nothing = { reference: null, errorCode: null, reason: null, supplierOrderId: null }
  const said = answered({ status: 'completed', codes: given, ...nothing }, 200)
  const callSupplier = runCallSupplier({ db: counting, metrics, call: async () => said })
  return Promise.all(placed.map(({ body }) => callSupplier(body.items[0]?.id ?? '')))
}

test('results that come together share statements', async () => {
  expect(new Set(await finishAll(40, 1))).toEqual(new Set(['put settled']))
  expect(sizes).toEqual([40])
})

test('a call without an adapter of its protocol is not made: a new item is not sent, and an item that was sent stays unknown', async () => {
  const leased = { protocol: 'telepathy', supplier: 'first', wait_ms: 0 } as LeasedCall
  expect(await call({ ...leased, method: 'put' })).toMatchObject({ outcome: 'not_placed', cause: 'settings' })
  expect(await call({ ...leased, method: 'get' })).toMatchObject({ outcome: 'unknown' })
})

test('a call waits as long as the limits of its supplier say, and is not made when the worker stops meanwhile', async () => {
  const leased = { protocol: 'telepathy', supplier: 'first', method: 'put' } as LeasedCall
  const beganAt = performance.now()
  await call({ ...leased, wait_ms: 50 })
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(49)
  const stopped = call({ ...leased, protocol: 'http', wait_ms: 3_600_000 })
  cutOff.abort()
  expect(await stopped).toMatchObject({ outcome: 'not_placed', cause: 'late' })
})

test('results with many codes share none, for two of them are a statement’s work', async () => {
  expect(await finishAll(3, 6_000)).toEqual(['put held', 'put held', 'put held'])
  expect(sizes).toEqual([1, 1, 1])
})

test.each([
  ['5'.repeat(64), 'https://supply.example/suppliers/first/webhooks'],
  [null, null],
])('a supplier whose push_secret is %s receives %s for its events', async (secret, eventsUrl) => {
  await database.sql`update supply.suppliers set protocol = 'b2b', push_secret = ${secret}`
  const [placed] = await placeAll(database.sql, [orderRequest(await makePartner(database.sql))])
  const id = placed?.body.items[0]?.id ?? ''
  await runCallSupplier({ db, metrics, call })(id)
  expect(received.at(-1)).toMatchObject({ reference: id, eventsUrl })
})
