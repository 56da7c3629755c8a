import type postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { type Deliveries, startDeliveries } from '../support/deliveries.ts'
import { audit, balanceOf, place } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'
import { taken } from '../support/servers/scripted_receiver.ts'

// An operator's open transaction has the lock of one row while a worker works for all.
const database = testDatabase({ catalog: true })
const sql = () => database.sql
let deliveries: Deliveries
let partner: Partner
let others: Partner[]
let holder: postgres.ReservedSql
/** Has suppliers and receivers answer, who take their time until then. */
let open: () => void

beforeAll(async () => {
  // No call and no delivery times out because a busy machine is slow to place the orders meanwhile.
  deliveries = await startDeliveries(database, {}, 60_000)
})
afterAll(() => deliveries.close())
beforeEach(async () => {
  partner = await makePartner(sql(), { balance: 1000 })
  others = await Promise.all([1, 2, 3].map(() => makePartner(sql(), { balance: 1000 })))
  holder = await sql().reserve()
})
afterEach(async () => {
  await holder`rollback`
  holder.release()
})

const orderOf = async (by: Partner) => {
  const { body } = await place(sql(), by, { callbackUrl: deliveries.receiver.url })
  return { code: body.code, item: body.items[0]?.id ?? '' }
}

async function delivered(by: Partner[]): Promise<number> {
  const [row] = await sql()`
    select count(*)::int as n from ops.events
    where account_id = any (${by.map(({ accountId }) => accountId)}) and state = 'delivered'`
  return row?.n
}

type Lock = (session: postgres.ReservedSql) => PromiseLike<unknown>

/**
 * Takes a lock, has all go on, and waits until half of the others' orders are delivered. Without `mayWait` no session waits
 * for the lock meanwhile. It is free again afterwards.
 */
async function deliverMeanwhile(lock: Lock, mayWait = false): Promise<void> {
  const [session] = await holder`select pg_backend_pid() as pid`
  await holder`begin`
  await lock(holder)
  open()
  const count = async () => {
    const blocked = await sql()`select query from pg_stat_activity where ${session?.pid} = any (pg_blocking_pids(pid))`
    waits.push(...blocked.map(({ query }) => query))
    return delivered(others)
  }
  const waits: string[] = []
  await expect.poll(count, { interval: 10 }).toBeGreaterThan(15)
  if (!mayWait) expect(waits).toEqual([])
  expect(await delivered([partner])).toBe(0)
  await holder`rollback`
}

async function expectSound(): Promise<void> {
  await expect.poll(() => delivered([partner]), { interval: 50 }).toBe(1)
  await expect.poll(() => delivered(others), { interval: 50 }).toBe(30)
  const attempts = await sql()`
    select max(a.attempt) as most, count(*)::int as n from ops.delivery_attempts a join ops.events e using (event_id)
    where e.account_id = any (${[partner, ...others].map(({ accountId }) => accountId)})`
  expect(attempts).toEqual([{ most: 1, n: 31 }])
  expect(await sql()`select id from graphile_worker._private_jobs where attempts >= max_attempts`).toEqual([])
  expect(await audit(sql())).toEqual([])
}

describe('the calls of others are recorded at their pace, and the call that waits as soon as the lock is free, with', () => {
  test.each<[string, string, (item: string) => Lock]>([
    ['the account', 'failed', () => (on) => on`select from supply.accounts where id = ${partner.accountId} for update`],
    [
      'the order',
      'completed',
      (item) => (on) =>
        on`
      select from supply.orders where id = (select order_id from supply.order_items where id = ${item}) for update`,
    ],
    ['the item', 'completed', (item) => (on) => on`select from supply.order_items where id = ${item} for update`],
    [
      'the slots',
      'completed',
      () => (on) =>
        on`
      select from supply.delivery_slots where account_id = ${partner.accountId} for update`,
    ],
  ])('%s locked', async (what, status, lockOf) => {
    const gate = Promise.withResolvers<void>()
    open = gate.resolve
    let item = ''
    deliveries.supplier.setAnswer(async ({ reference }) => {
      await gate.promise
      return { status: 200, json: { status: reference === item ? status : 'completed' } }
    })
    item = (await orderOf(partner)).item
    await deliveries.supplier.waitForRequest(({ reference }) => reference === item)
    for (let n = 0; n < 30; n += 1) await orderOf(others[n % 3] as Partner)
    // Who announces a result waits for the slots for a moment.
    await deliverMeanwhile(lockOf(item), what === 'the slots')
    await expectSound()
    expect(deliveries.supplier.requestsFor(item)).toHaveLength(1)
    if (status === 'failed') expect(await balanceOf(sql(), partner)).toBe(1000)
  })
})

test('the deliveries of others are recorded at their pace while an event is locked, and none is sent twice', async () => {
  const gate = Promise.withResolvers<void>()
  open = gate.resolve
  deliveries.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
  deliveries.receiver.answer(async () => {
    await gate.promise
    return taken
  })
  const { code } = await orderOf(partner)
  const first = await deliveries.receiver.waitFor(({ body }) => body.includes(code))
  for (let n = 0; n < 30; n += 1) await orderOf(others[n % 3] as Partner)
  await deliverMeanwhile((on) => on`select from supply.events where id = ${first.eventId} for update`)
  await expectSound()
  expect(deliveries.receiver.deliveries(first.eventId)).toHaveLength(1)
})
