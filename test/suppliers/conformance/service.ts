import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectWorker } from '../../../src/commands/connections.ts'
import type { Database } from '../../../src/database/client.ts'
import { createAdapters } from '../../../src/suppliers/adapters.ts'
import { createWorkerMetrics } from '../../../src/worker/metrics.ts'
import { createSupplierCaller } from '../../../src/worker/supplier_caller.ts'
import { createSupplierCredentials } from '../../../src/worker/supplier_credentials.ts'
import { runCallSupplier } from '../../support/call_supplier.ts'
import { credentialRules } from '../../support/credential_rules.ts'
import { testDatabase } from '../../support/database.ts'
import { audit, balanceOf, place } from '../../support/orders.ts'
import { makePartner, type Partner } from '../../support/partner.ts'
import { type ConformanceDriver, completed as completedKeys, type Plan, type TestSupplier } from './driver.ts'

const price = 1_000
const productId = 102

/**
 * The part of the conformance suite that needs the database: how an item ends. Call it once in a test file of the
 * protocol's own. `supply.protocols` must have the protocol's row by then.
 */
export function describeService(driver: ConformanceDriver, addProtocol?: string): void {
  const database = testDatabase()
  const currency = driver.call.currency ?? 'RUB'
  let supplier: TestSupplier
  let db: Database
  let partner: Partner
  let callSupplier: (itemId: string) => Promise<string | null>
  const adapters = createAdapters({ factories: { [driver.protocol]: driver.create } })
  const deliversKeys = driver.delivers !== 'topUps'
  const quantity = deliversKeys ? 2 : 1
  const completed = deliversKeys ? completedKeys : { ...completedKeys, codes: [] }
  const repeats = adapters.capabilities[driver.protocol]?.asksByRepeating === true
  /** How the worker asks for an item that was sent. */
  const asks = repeats ? 'put' : 'get'
  const isSafe = () => adapters.capabilities[driver.protocol]?.repeatSafeSeconds !== 0

  beforeAll(async () => {
    const { sql } = database
    supplier = await driver.startSupplier()
    db = connectWorker(database.url)
    if (addProtocol !== undefined) await sql.unsafe(addProtocol)
    await sql`select ops.upsert_game('space-trader', 'Space Trader')`
    await sql`select ops.upsert_supplier('theirs', ${supplier.url}, ${supplier.token}, ${driver.protocol})`
    await sql`select ops.upsert_product(${productId}, 'space-trader', 'Gift key', ${price}, ${currency}, ${deliversKeys ? 'key' : 'id_only'})`
    const { sku = 'KEY-1', unitCost = null } = driver.call
    const recipient = deliversKeys ? null : '{gameUserId}'
    await sql`select ops.upsert_offer(${productId}, 'theirs', ${sku}, ${unitCost}, recipient => ${recipient})`
    partner = await makePartner(sql, { balance: 100_000, currency })
    const metrics = createWorkerMetrics(db)
    callSupplier = runCallSupplier({
      ...{ db, metrics },
      call: createSupplierCaller({
        ...{
          adapters,
          metrics,
          publicUrl: undefined,
          aliveUntil: () => Number.POSITIVE_INFINITY,
          pace: async () => {},
        },
        credentials: createSupplierCredentials(
          db,
          credentialRules((credential) => credential),
        ),
        signal: new AbortController().signal,
      }),
    })
  })
  afterEach(async () => {
    supplier.setFault(null)
    expect(await audit(database.sql)).toEqual([])
  })
  afterAll(async () => {
    await Promise.all([adapters.close(), db.end()])
    await supplier.close()
  })

  /** An item of a new order, for which the supplier has this plan. */
  async function item(plan: Plan): Promise<string> {
    const deliveryData = deliversKeys ? {} : { gameUserId: driver.call.recipient ?? '5123456789' }
    const { body } = await place(database.sql, partner, { items: [{ productId, quantity, deliveryData }] })
    const id = body.items[0]?.id ?? ''
    supplier.plan(id, plan)
    return id
  }

  /** Makes the next call for an item, whenever it is due. Returns its method and its verdict; null for no call. */
  async function step(id: string): Promise<string | null> {
    await database.sql`update supply.supplier_attempts set started_at = started_at - interval '1 hour',
      finished_at = finished_at - interval '1 hour' where item_id = ${id}`
    await database.sql`update supply.order_items set next_check_at = now() where id = ${id} and next_check_at > now()`
    return callSupplier(id)
  }

  async function steps(id: string, count: number): Promise<(string | null)[]> {
    const made = []
    for (let n = 0; n < count; n += 1) made.push(await step(id))
    return made
  }

  async function stateOf(id: string) {
    const [row] = await database.sql`
      select i.status, i.codes_delivered, o.refunded_amount::float8 as refunded,
        exists (select from ops.stuck_items s where s.item_id = i.item_id and s.why = 'held') as held
      from ops.order_items i join ops.orders o using (order_code) where i.item_id = ${id}`
    return row
  }

  const placings = () => supplier.requests.filter(({ places }) => places).length
  const open = { status: 'processing', codes_delivered: 0, refunded: 0 }

  describe(`${driver.protocol}, through the service: an item`, () => {
    it('whose answer was lost is asked for, and not ordered twice', async () => {
      const id = await item(completed)
      const before = placings()
      supplier.setFault({ to: 'placing', damage: 'reset', carriedOut: true })
      expect(await step(id)).toBe('put waiting')
      expect(await stateOf(id)).toMatchObject(open)
      supplier.setFault(null)
      expect(await step(id)).toBe(`${asks} settled`)
      expect(await stateOf(id)).toMatchObject({
        ...{ status: 'completed', codes_delivered: completed.codes.length, refunded: 0 },
      })
      expect([placings() - before, supplier.ordersFor(id)]).toEqual([repeats ? 2 : 1, 1])
    })

    it('that the supplier does not have is sent again only where a repeat is safe', async () => {
      const id = await item(completed)
      const before = placings()
      supplier.setFault({ to: 'placing', damage: 'reset' })
      expect(await steps(id, 2)).toEqual(['put waiting', `${asks} waiting`])
      supplier.setFault(null)
      if (isSafe()) {
        expect(await step(id)).toBe('put settled')
        expect([placings() - before, supplier.ordersFor(id)]).toEqual([repeats ? 3 : 2, 1])
        return
      }
      expect(await steps(id, 3)).toEqual(['get waiting', 'get waiting', 'get waiting'])
      await database.sql`update supply.order_items set sent_at = sent_at - interval '30 minutes' where id = ${id}`
      expect(await steps(id, 2)).toEqual(['get held', null])
      expect(await stateOf(id)).toMatchObject({ ...open, held: true })
      expect([placings() - before, supplier.ordersFor(id)]).toEqual([1, 0])
    })

    it('whose outcome is unknown is neither failed nor refunded', async () => {
      const id = await item({ status: 'failed', codes: [] })
      supplier.setFault({ damage: 'cut', carriedOut: true })
      expect(await steps(id, 4)).toEqual(['put waiting', ...Array(3).fill(`${asks} waiting`)])
      expect(await stateOf(id)).toMatchObject(open)
    })

    it.each(Object.entries(driver.foreign))('is given no keys of an answer that %s', async (_, damage) => {
      const id = await item(completed)
      supplier.setFault({ damage })
      await steps(id, 2)
      expect(await stateOf(id)).toMatchObject(open)
      const kept = await database.sql`select from supply.item_keys where item_id = ${id}`
      expect(kept).toHaveLength(0)
    })

    it.runIf(deliversKeys).each([
      ['few', ['AAAA-1']],
      ['many', ['AAAA-1', 'BBBB-2', 'CCCC-3']],
    ])('with too %s keys is held, and not refunded', async (_, codes) => {
      const id = await item({ status: 'completed', codes })
      expect(await steps(id, 2)).toEqual(['put held', null])
      expect(await stateOf(id)).toMatchObject({ ...open, held: true })
    })

    it.runIf(deliversKeys)('of which a part came is completed in that part, and the rest is refunded', async () => {
      const before = await balanceOf(database.sql, partner)
      const id = await item({ status: 'processing', codes: [] })
      await step(id)
      supplier.plan(id, { status: 'failed', codes: ['AAAA-1'] })
      expect(await step(id)).toBe('get settled')
      expect(await balanceOf(database.sql, partner)).toBe(before - price)
      expect(await stateOf(id)).toMatchObject({ refunded: price })
    })

    it('that is out of stock is refunded', async () => {
      const before = await balanceOf(database.sql, partner)
      const id = await item('out of stock')
      expect(await step(id)).toBe('put settled')
      expect(await stateOf(id)).toMatchObject({ status: 'failed', refunded: quantity * price })
      expect(await balanceOf(database.sql, partner)).toBe(before)
    })

    if (driver.outcomes.balanceSpent !== undefined) {
      it('for which our balance is too low waits until it suffices', async () => {
        const id = await item('balance spent')
        expect(await step(id)).toBe('put waiting')
        expect(await stateOf(id)).toMatchObject(open)
        supplier.plan(id, completed)
        expect(await step(id)).toBe('put settled')
        expect(await stateOf(id)).toMatchObject({ status: 'completed', codes_delivered: completed.codes.length })
      })
    }
  })
}
