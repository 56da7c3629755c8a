import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { AdapterFactory, SupplierCall } from '../../../src/suppliers/adapter.ts'
import type { SupplierOutcome } from '../../../src/suppliers/outcome.ts'
import type { Fault } from '../../support/servers/supplier_stand_in.ts'
import { supplierCall } from '../../support/supplier_call.ts'
import { type ConformanceDriver, completed, type Plan, type Standing, type TestSupplier } from './driver.ts'
import { describeBalance, describeEvents, describeList } from './extras.ts'
import { describeFaults } from './faults.ts'
import { describeOrders } from './orders.ts'

type Adapter = ReturnType<AdapterFactory>

/** What the tests of the suite use. */
export type Bench = {
  driver: ConformanceDriver
  adapter: () => Adapter
  /** An adapter whose calls take 250 ms at most. */
  hasty: () => Adapter
  supplier: () => TestSupplier
  /** How an order ends for which all was delivered. */
  completed: Standing
  deliversKeys: boolean
  /** It is asked for an order by sending the order again: `get` does that. */
  repeats: boolean
  /** A call about a new item, for which the supplier has this plan. */
  order: (plan?: Plan, overrides?: Partial<SupplierCall>) => SupplierCall
  put: (call: SupplierCall, using?: Using) => Promise<SupplierOutcome>
  get: (call: SupplierCall, using?: Using) => Promise<SupplierOutcome>
  /** Does something while the supplier's answers are damaged. */
  during: <T>(fault: Fault, run: () => Promise<T>) => Promise<T>
}

type Using = { adapter?: Adapter; signal?: AbortSignal }

/**
 * The conformance suite of adapters: what docs/suppliers.md demands of each. Call it once in a test file of the
 * protocol's own.
 */
export function describeAdapter(driver: ConformanceDriver): void {
  const bench = setUp(driver)
  describeOrders(bench)
  describeFaults(bench)
  describeList(bench)
  describeBalance(bench)
  describeEvents(bench)
}

/** The bench of a protocol: a supplier and adapters that live as long as the test file. */
export function setUp(driver: ConformanceDriver): Bench {
  let supplier: TestSupplier
  let adapter: Adapter
  let hasty: Adapter
  const deliversKeys = driver.delivers !== 'topUps'
  const repeats = driver.create({ timeoutMs: 1 }).capabilities.asksByRepeating
  beforeAll(async () => {
    supplier = await driver.startSupplier()
    adapter = driver.create({ timeoutMs: 30_000 })
    hasty = driver.create({ timeoutMs: 250 })
  })
  afterEach(() => {
    supplier.setFault(null)
    expect(supplier.violations ?? []).toEqual([])
  })
  afterAll(async () => {
    await Promise.all([adapter.close(), hasty.close()])
    await supplier.close()
  })

  const ask =
    (method: 'put' | 'get') =>
    async (call: SupplierCall, { adapter: chosen = adapter, signal }: Using = {}) => {
      const before = supplier.requests.length
      let paced = 0
      const pace = async () => {
        paced += 1
        await call.pace?.()
      }
      const outcome = await chosen[method]({ ...call, pace }, signal)
      const made = supplier.requests.slice(before)
      assertSound(method, call, outcome)
      // An adapter never decides to send an order again.
      expect(made.filter(({ places }) => places).length).toBeLessThanOrEqual(method === 'put' ? 1 : 0)
      expect(made.length).toBeLessThanOrEqual(chosen.capabilities.requestsPerCall + paced)
      return outcome
    }
  return {
    driver,
    adapter: () => adapter,
    hasty: () => hasty,
    supplier: () => supplier,
    completed: deliversKeys ? completed : { ...completed, codes: [] },
    deliversKeys,
    repeats,
    order: (plan, overrides = {}) => {
      const { url: baseUrl, token } = supplier
      const call = supplierCall({
        ...{ baseUrl, token, deliversKeys, quantity: deliversKeys ? 2 : 1 },
        ...driver.call,
        ...overrides,
      })
      if (plan !== undefined) supplier.plan(call.reference, plan)
      return call
    },
    put: ask('put'),
    get: repeats ? (call, using) => ask('put')({ ...call, firstSentAt: new Date() }, using) : ask('get'),
    during: async (fault, run) => {
      supplier.setFault(fault)
      try {
        return await run()
      } finally {
        supplier.setFault(null)
      }
    },
  }
}

/** The same call, as it is made once the item was sent. */
export function sent(call: SupplierCall, outcome?: SupplierOutcome): SupplierCall {
  const named = outcome?.outcome === 'answered' ? outcome.supplierOrderId : null
  return { ...call, firstSentAt: new Date(), supplierOrderId: named }
}

/** Checks what holds for every outcome. */
function assertSound(method: 'put' | 'get', call: SupplierCall, outcome: SupplierOutcome): void {
  expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome)
  expect(JSON.stringify(outcome)).not.toContain(call.token)
  if (method === 'get') expect(outcome.outcome).not.toBe('not_placed')
  else expect(outcome.outcome).not.toBe('not_received')
  if (outcome.outcome === 'answered' && outcome.status === 'processing') expect(outcome.codes).toEqual([])
}
