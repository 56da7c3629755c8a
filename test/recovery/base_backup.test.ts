import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../src/demo/receiver/receiver.ts'
import { answer, completed } from '../support/items.ts'
import { audit, balanceOf, place } from '../support/orders.ts'
import { makeCatalog, makePartner, products } from '../support/partner.ts'
import { type ScriptedSupplier, startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { startApi, type TestApi } from '../support/service.ts'
import { type RunningWorker, startTestWorker } from '../support/whole_service.ts'
import { type ArchivedServer, startArchivedServer } from './archived_server.ts'

let original: ArchivedServer
let supplier: ScriptedSupplier
let receiver: Receiver
const toStop = new Set<TestApi | RunningWorker>()

beforeAll(async () => {
  ;[original, supplier, receiver] = await Promise.all([
    startArchivedServer(),
    startScriptedSupplier(),
    startReceiver({ secret: () => undefined }),
  ])
  // It delivers at once what it is sent, and knows that alone.
  supplier.setAnswer(({ reference }) =>
    supplier.requestsFor(reference, 'PUT').length > 0
      ? { status: 200, json: { status: 'completed' } }
      : { status: 404 },
  )
  await makeCatalog(original.sql, supplier)
})

afterAll(async () => {
  for (const each of toStop) await end(each)
  await Promise.all([supplier?.close(), receiver?.close(), original?.remove()])
})

async function end(part: TestApi | RunningWorker): Promise<void> {
  toStop.delete(part)
  await ('stop' in part ? part.stop() : part.close())
}

async function running<T extends TestApi | RunningWorker>(part: Promise<T>): Promise<T> {
  toStop.add(await part)
  return part
}

const order = (externalOrderId: string) => ({
  externalOrderId,
  callbackUrl: receiver.url,
  items: [{ productId: products.topUp, deliveryData: { gameUserId: '12345' } }],
})

/** How often each order's event has come to the receiver. */
const deliveries = (code: string) => receiver.received.filter(({ event }) => event?.data.orderCode === code).length
const arrives = (code: string, times = 1) => expect.poll(() => deliveries(code)).toBe(times)

test('a service on a base backup that was recovered to a point in time goes on, and asks before it sends again', async () => {
  const { sql } = original
  const partner = await makePartner(sql)
  const { key } = partner
  const before = await running(startTestWorker(original.url))
  const api = await running(startApi(original.url))
  const post = async (from: TestApi, reference: string): Promise<{ code: string; item: string }> => {
    const { status, json } = await from.post('/b2b/orders', { key, body: order(reference) })
    expect(status).toBe(201)
    return { code: json.data.code, item: json.data.items[0].id }
  }

  const done = await post(api, 'done')
  await arrives(done.code)
  await end(before)
  await original.backUp()
  const unsent = await post(api, 'unsent')
  const { body: undelivered } = await place(sql, partner, { callbackUrl: receiver.url })
  await answer(sql, undelivered.items[0]?.id ?? '', completed())
  const [row] = await sql`select clock_timestamp()::text as accident`

  // What the restored database will not know.
  const after = await running(startTestWorker(original.url))
  await Promise.all([arrives(unsent.code), arrives(undelivered.code)])
  const lost = await post(api, 'lost')
  await arrives(lost.code)
  await end(after)
  await end(api)
  await original.stop()

  const restored = await original.restore(row?.accident)
  expect(await audit(restored.sql)).toEqual([])
  expect(await balanceOf(restored.sql, partner)).toBe(1000 - 3 * 10.5)
  await expect(startTestWorker(restored.url)).rejects.toThrow('recovered to a point in time')
  expect([...(await restored.sql`select * from ops.begin_recovery('to the accident')`)]).toEqual([
    { items_to_ask: '1', events_held: '1' },
  ])

  await running(startTestWorker(restored.url))
  const now = await running(startApi(restored.url))
  const read = (code: string) => now.get(`/b2b/orders/${code}`, { key })
  await expect.poll(async () => (await read(unsent.code)).json.data.status).toBe('completed')
  const fresh = await post(now, 'fresh')
  await arrives(fresh.code)
  expect(supplier.requestsFor(unsent.item, 'PUT')).toHaveLength(1)
  expect(supplier.requestsFor(unsent.item, 'GET')).toHaveLength(1)
  const held = await restored.sql`select order_code from ops.events where state = 'held'`
  expect(held.map(({ order_code }) => order_code).sort()).toEqual([unsent.code, undelivered.code].sort())
  expect([deliveries(unsent.code), deliveries(undelivered.code)]).toEqual([1, 1])
  expect(await audit(restored.sql)).toEqual([])

  await restored.sql`select ops.release_events(dry_run => false)`
  await Promise.all([arrives(unsent.code, 2), arrives(undelivered.code, 2)])
  expect(receiver.received.filter(({ duplicate }) => duplicate)).toHaveLength(2)
  await expect.poll(() => restored.sql`select from ops.events where state <> 'delivered'`).toEqual([])
  await restored.sql`select ops.end_recovery()`
  expect(await balanceOf(restored.sql, partner)).toBe(1000 - 4 * 10.5)
  expect(await audit(restored.sql)).toEqual([])

  // Of an order after that point nothing is known: the same request is another order.
  expect((await read(lost.code)).status).toBe(404)
  expect((await post(now, 'lost')).item).not.toBe(lost.item)
})
