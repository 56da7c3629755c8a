import type postgres from 'postgres'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { type Attempt, answered, makeEvents } from '../../support/events.ts'
import { type Call, completed, failed, leaseCalls, processing } from '../../support/items.ts'
import { audit, balanceOf, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

// What workers do while another transaction has the lock of one row: nothing here waits for it.
const database = testDatabase()
const sql = () => database.sql
let holder: postgres.ReservedSql
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql(), { balance: 100 })
  holder = await sql().reserve()
  await holder`begin`
})
afterEach(async () => {
  await holder`rollback`
  holder.release()
  expect(await audit(sql())).toEqual([])
})

const newOrder = async (of = partner, callbackUrl: string | null = 'https://partner.example/hook') => {
  const { body } = await place(sql(), of, { callbackUrl })
  return { code: body.code, item: body.items[0]?.id ?? '' }
}
const lockAccount = ({ accountId }: Partner) =>
  holder`select from supply.accounts where id = ${accountId} for update`
const lockItem = (item: string) => holder`select from supply.order_items where id = ${item} for update`
const lockOrder = (item: string) => holder`
  select from supply.orders where id = (select order_id from supply.order_items where id = ${item}) for update`
const lockEvent = (event: string) => holder`select from supply.events where id = ${event} for update`
// In seconds after the job was added.
const soon = expect.toSatisfy((wait: number) => wait > 0 && wait <= 1)

const jobsOf = async (subject: string) => [
  ...(await sql()`
    select attempts, extract(epoch from run_at - created_at)::float as wait
    from graphile_worker._private_jobs where payload ->> 'id' = ${subject}`),
]

/** Records results that come together, as a worker does. */
async function finish(calls: Call[], result: object): Promise<string[]> {
  const results = calls.map(({ item_id, lease_token }, index) => ({
    ...{ ordinal: index + 1, itemId: item_id, leaseToken: lease_token, result },
  }))
  const rows = await sql()`
    select verdict from work.finish_calls(${sql().json(results as never)}, '24 hours', '30 minutes', 0, null) where ordinal is not null order by ordinal`
  return rows.map(({ verdict }) => verdict)
}

describe('of calls that begin', () => {
  test('the one whose item is locked is tried again soon, and the others begin', async () => {
    const [locked, other] = [await newOrder(), await newOrder()]
    await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${[locked.item, other.item]})`
    await lockItem(locked.item)
    const begin = () =>
      sql()<Call[]>`select * from work.begin_calls(${[locked.item, other.item]}, '{}', null) order by ordinal`
    expect(await begin()).toMatchObject([{ ordinal: 2, item_id: other.item, method: 'put' }])
    expect(await jobsOf(locked.item)).toEqual([{ attempts: 0, wait: soon }])
    await holder`rollback`
    expect(await begin()).toMatchObject([{ ordinal: 1, item_id: locked.item, method: 'put' }])
  })
})

describe('of calls that finish', () => {
  test.each([
    ['its item', (item: string) => lockItem(item)],
    ['its order', (item: string) => lockOrder(item)],
    ['the account that is refunded', () => lockAccount(partner)],
  ])('the one for which %s is locked is busy, and is recorded once that is free', async (_, lock) => {
    const locked = await newOrder()
    const other = await newOrder(await makePartner(sql(), { balance: 100 }))
    const calls = await leaseCalls(sql(), [locked.item, other.item])
    await lock(locked.item)
    expect(await finish(calls, failed({ errorCode: 'REJECTED' }))).toEqual(['busy', 'settled'])
    expect(await finish(calls.slice(0, 1), failed({ errorCode: 'REJECTED' }))).toEqual(['busy'])
    await holder`rollback`
    expect(await finish(calls, failed({ errorCode: 'REJECTED' }))).toEqual(['settled', 'repeated'])
    expect(await balanceOf(sql(), partner)).toBe(100)
  })

  test('one that completes needs its account for the event alone, and one that goes on does not need it', async () => {
    const [announced, silent, open] = [await newOrder(), await newOrder(partner, null), await newOrder()]
    const calls = await leaseCalls(sql(), [announced.item, silent.item, open.item])
    await lockAccount(partner)
    expect(await finish(calls.slice(0, 2), completed())).toEqual(['busy', 'settled'])
    expect(await finish(calls.slice(2), processing())).toEqual(['waiting'])
  })

  test('one that ends an order does not wait for its account’s slots: the event is queued', async () => {
    const first = await newOrder()
    await finish(await leaseCalls(sql(), [first.item]), completed())
    const second = await newOrder()
    const calls = await leaseCalls(sql(), [second.item])
    await holder`select from supply.delivery_slots where account_id = ${partner.accountId} for update`
    expect(await finish(calls, completed())).toEqual(['settled'])
    const stateOf = async () => {
      const [row] = await sql()`select state from supply.events where order_code = ${second.code}`
      return row?.state
    }
    expect(await stateOf()).toBe('queued')
    await holder`rollback`
    await sql()`select work.fill_slots()`
    expect(await stateOf()).toBe('ready')
  })
})

describe('of deliveries', () => {
  const begin = (ids: string[]) =>
    sql()<Attempt[]>`select * from work.begin_deliveries(${ids}) order by ordinal`
  const removeJobs = (ids: string[]) =>
    sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids})`

  test('that begin, the one whose event is locked is tried again soon, and the others begin', async () => {
    const ids = await makeEvents(sql(), partner, 2)
    await removeJobs(ids)
    await lockEvent(ids[0] ?? '')
    expect(await begin(ids)).toMatchObject([{ ordinal: 2, event_id: ids[1], attempt: 1 }])
    expect(await jobsOf(ids[0] ?? '')).toEqual([{ attempts: 0, wait: soon }])
    await holder`rollback`
    expect(await begin(ids)).toMatchObject([{ ordinal: 1, event_id: ids[0], attempt: 1 }])
  })

  test('that begin, the first of a locked account is tried again soon: its secret cannot be written', async () => {
    const other = await makePartner(sql(), { balance: 100 })
    const ids = [...(await makeEvents(sql(), partner, 1)), ...(await makeEvents(sql(), other, 1))]
    await removeJobs(ids)
    await lockAccount(partner)
    expect(await begin(ids)).toMatchObject([{ ordinal: 2, event_id: ids[1], attempt: 1 }])
    await holder`rollback`
    expect(await begin(ids)).toMatchObject([{ ordinal: 1, event_id: ids[0], attempt: 1 }])
  })

  test('that finish, the one whose event is locked is busy, and is recorded once that is free', async () => {
    const ids = await makeEvents(sql(), partner, 2)
    await removeJobs(ids)
    const attempts = await begin(ids)
    const finishAll = async () => {
      const results = attempts.map(({ event_id, lease_token }, index) => ({
        ...{ ordinal: index + 1, eventId: event_id, leaseToken: lease_token, result: answered(200) },
      }))
      const rows = await sql()`
        select verdict from work.finish_deliveries(${sql().json(results as never)}, 0, null) where ordinal is not null order by ordinal`
      return rows.map(({ verdict }) => verdict)
    }
    await lockEvent(ids[0] ?? '')
    expect(await finishAll()).toEqual(['busy', 'delivered'])
    expect(await finishAll()).toEqual(['busy', 'stale'])
    await holder`rollback`
    expect(await finishAll()).toEqual(['delivered', 'stale'])
  })
})
