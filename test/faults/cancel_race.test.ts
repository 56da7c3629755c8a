import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomOf } from '../storm/random.ts'
import { testDatabase } from '../support/database.ts'
import { audit, orderRequest, type Placed, placeAll } from '../support/orders.ts'
import { products } from '../support/partner.ts'
import { startTestWorker, startWholeService, type WholeService } from '../support/whole_service.ts'

// The full size is CANCELLATIONS=5000.
const count = Number(process.env.CANCELLATIONS ?? 400)
const together = 50

const database = testDatabase({ catalog: true })
let service: WholeService
let second: { stop(): Promise<void> }
beforeAll(async () => {
  service = await startWholeService(database)
  second = await startTestWorker(database.url)
  service.supplier.setAnswer(({ reference }) => ({
    status: 200,
    json: { status: 'completed', codes: [`CODE-${reference}`] },
  }))
})
afterAll(async () => {
  await second.stop()
  await service.close()
})

test('cancellations that race workers at full speed leave no item both sent and refunded', async () => {
  const { sql, supplier } = service
  const partner = await service.partner({ balance: 1_000_000 })
  const random = randomOf(count, 'cancellations')
  const results = new Map<string, string>()
  /** Asks again where the account stays locked for too long, as a partner does after a 503. */
  const cancelOrder = (code: string): Promise<string> =>
    sql`select result from api.cancel_order(${partner.accountId}, ${code})`.then(
      ([row]) => row?.result,
      (error) => (error.code === '55P03' ? cancelOrder(code) : Promise.reject(error)),
    )
  for (let placed = 0; placed < count; placed += together) {
    const requests = Array.from({ length: together }, (_, n) => ({
      ...orderRequest(partner, { externalOrderId: `raced-${placed + n}`, items: [{ productId: products.key }] }),
      ordinal: n + 1,
    }))
    const orders = await placeAll(sql, requests)
    const cancel = async ({ body }: Placed) => {
      // Every second one begins at once, because a worker calls within milliseconds.
      if (random.chance(0.5)) await sleep(random.int(1, 30))
      results.set(body.code, await cancelOrder(body.code))
    }
    await Promise.all(random.shuffle(orders).map(cancel))
  }

  await expect.poll(() => sql`select from ops.orders where completed_at is null`, { timeout: 120_000 }).toHaveLength(0)
  const sent = new Set(supplier.requests.map(({ reference }) => reference))
  const items = await sql`
    select i.item_id, i.order_code, i.status, i.error_code, o.refunded_amount::float as refunded
    from ops.order_items i join ops.orders o using (order_code)`
  expect(items).toHaveLength(count)
  for (const item of items) {
    const isCancelled = results.get(item.order_code) === 'cancelled'
    expect({ ...item, sent: sent.has(item.item_id), result: results.get(item.order_code) }).toMatchObject(
      isCancelled
        ? { status: 'failed', error_code: 'CANCELLED', refunded: 20, sent: false }
        : { status: 'completed', refunded: 0, sent: true, result: 'NOT_CANCELLABLE' },
    )
  }
  expect(new Set(results.values())).toEqual(new Set(['cancelled', 'NOT_CANCELLABLE']))
  expect(await audit(sql)).toEqual([])
})
