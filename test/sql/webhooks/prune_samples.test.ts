import postgres from 'postgres'
import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answered, finishAttempt, leaseAttempt, makeEvent } from '../../support/events.ts'
import { audit } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
let partner: Partner

beforeAll(async () => {
  await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(sql(), { mode: 'test' })
})

/** Removes old samples, and returns how many. */
async function prune(): Promise<number> {
  const removed = async () =>
    Number((await sql()`select removed from ops.housekeeping where what = 'samples'`)[0]?.removed)
  const before = await removed()
  await sql()`select work.remove_old('samples', '1 day', true)`
  return (await removed()) - before
}

async function makeSample(): Promise<string> {
  const [row] = await sql()`
    select event_id from api.simulate_webhook(${partner.accountId}, 'https://hooks.example/x', 'order.completed')`
  return String(row?.event_id)
}

const age = (eventIds: string[], by: string) => sql()`
  update supply.events set created_at = created_at - ${by}::interval where id = any(${eventIds})`

/** A sample that was made more than a day ago and is gone. */
async function makePruned(before: (eventId: string) => Promise<void> = async () => {}): Promise<string> {
  const eventId = await makeSample()
  await before(eventId)
  await age([eventId], '25 hours')
  expect(await prune()).toBe(1)
  return eventId
}

test('a sample is forgotten a day after it was made, whatever its state; real events and younger samples stay', async () => {
  const [waiting, retried, sending, delivered, dead, young] = await Promise.all([
    ...[makeSample(), makeSample(), makeSample()],
    ...[makeSample(), makeSample(), makeSample()],
  ] as const)
  for (const [eventId, status] of [
    [retried, 500],
    [delivered, 200],
    [dead, 404],
  ] as const) {
    await finishAttempt(sql(), await leaseAttempt(sql(), eventId), answered(status))
  }
  await leaseAttempt(sql(), sending)
  const real = await makeEvent(sql(), partner)
  const old = [waiting, retried, sending, delivered, dead]
  await age([...old, real], '24 hours 1 s')
  await age([young], '23 hours')
  expect(await prune()).toBe(5)
  const left = await sql()`select event_id from ops.events`
  expect(left.map(({ event_id }) => event_id).sort()).toEqual([young, real].sort())
  expect(await sql()`select from ops.delivery_attempts where event_id = any(${old})`).toHaveLength(0)
  expect(await prune()).toBe(0)
  expect(await audit(sql())).toEqual([])
})

test('the job of a forgotten sample finds nothing to do', async () => {
  const eventId = await makePruned()
  expect(await sql()`select * from work.begin_deliveries(${[eventId]})`).toHaveLength(0)
  expect(await audit(sql())).toEqual([])
})

test('an attempt that was under way is recorded nowhere', async () => {
  let leaseToken = ''
  const eventId = await makePruned(async (id) => {
    leaseToken = (await leaseAttempt(sql(), id)).lease_token
  })
  expect(await finishAttempt(sql(), { event_id: eventId, lease_token: leaseToken }, answered(200))).toBe(
    'stale',
  )
  expect(await audit(sql())).toEqual([])
})

test('samples are forgotten in batches, and those that someone holds later', async () => {
  const other = postgres(database.url, { max: 1, onnotice: () => {} })
  await sql()`
    insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, created_at)
    select ${partner.accountId}, 'x', 'order.completed', 'https://hooks.example/x', '{}', true, now() - interval '2 days'
    from generate_series(1, 1100)`
  try {
    await other.begin(async (transaction) => {
      await transaction`
        select from supply.events where created_at < now() - interval '1 day' and simulated limit 10 for no key update`
      expect([await prune(), await prune(), await prune()]).toEqual([1000, 90, 0])
    })
    expect(await prune()).toBe(10)
  } finally {
    await other.end({ timeout: 1 })
  }
})
