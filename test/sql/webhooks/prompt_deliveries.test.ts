import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answered, claimAttempt, finishAttempt, unreachable } from '../../support/events.ts'
import { claimCalls, completed, failed } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

// Events that the worker which recorded the result delivers at once: they have a slot, and no job.
const database = testDatabase()
const sql = () => database.sql
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql(), { balance: 10_000 })
})

/** Records the results of the items' calls in one batch; returns the events to deliver at once, or null, for each. */
async function finish(
  itemIds: string[],
  resultOf: (ordinal: number) => object,
  toDeliver?: number,
): Promise<(string | null)[]> {
  const calls = await claimCalls(sql(), itemIds)
  const results = calls.map(({ ordinal, item_id: itemId, claim_id: claimId }) => ({
    ...{ ordinal, itemId, claimId, result: resultOf(ordinal) },
  }))
  const asked = toDeliver === undefined ? sql()`` : sql()`, to_deliver => ${toDeliver}`
  const rows = await sql()`
    select ready_event_id as id from work.finish_calls(${sql().json(results as never)}, '24 hours', 0 ${asked})`
  return rows.map(({ id }) => id)
}

/** Ends so many orders in one batch; returns the events to deliver at once. Without a number, none is asked for. */
async function endOrders(count: number, toDeliver?: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const { body } = await place(sql(), partner, { callbackUrl: 'https://hooks.example/x' })
    ids.push(...body.items.map(({ id }) => id))
  }
  const events = await finish(ids, () => completed(), toDeliver)
  return events.filter((id) => id !== null)
}

/** The states of the partner's events with the tasks of their jobs, the oldest first. */
async function states(): Promise<string[]> {
  const rows = await sql()`
    select e.state || coalesce(' ' || (select string_agg(q.task, ',') from ops.queue q where q.subject = e.id), '') as state
    from supply.events e where e.account_id = ${partner.accountId} order by e.next_attempt_at, e.id`
  return rows.map(({ state }) => state)
}

const tick = () => sql()`select work.fill_slots()`
const age = (seconds: number) =>
  sql()`update supply.events set claim_expires_at = claim_expires_at - make_interval(secs => ${seconds})
    where account_id = ${partner.accountId} and claim_expires_at is not null`

describe('events of orders that end', () => {
  test('are given to the worker that asked for some, and have no job then; the others have one', async () => {
    expect(await endOrders(3, 2)).toHaveLength(2)
    expect((await states()).sort()).toEqual(['ready', 'ready', 'ready deliver_webhook'])
    expect(await audit(sql())).toEqual([])
  })

  test('have a job where the worker asked for none, as one of the release before does', async () => {
    expect(await endOrders(1)).toEqual([])
    expect(await endOrders(1, 0)).toEqual([])
    expect(await states()).toEqual(['ready deliver_webhook', 'ready deliver_webhook'])
  })

  test('wait in the queue without a slot', async () => {
    expect(await endOrders(10, 100)).toHaveLength(8)
    expect((await states()).sort()).toEqual([...Array(2).fill('queued'), ...Array(8).fill('ready')])
  })

  test('go by the queue where the receiver did not answer of late', async () => {
    const [id = ''] = await endOrders(1, 1)
    await finishAttempt(sql(), await claimAttempt(sql(), id), unreachable())
    expect(await endOrders(1, 1)).toEqual([])
    expect(await states()).toContain('ready deliver_waiting')
  })

  test('are none where the result is partial', async () => {
    const { body } = await place(sql(), partner, {
      callbackUrl: 'https://hooks.example/x',
      items: [{ productId: products.topUp }, { productId: products.topUp }],
    })
    const ids = body.items.map(({ id }) => id)
    expect(await finish(ids, (ordinal) => (ordinal === 1 ? completed() : failed()), 9)).toEqual([null, null])
    expect(await states()).toEqual([])
  })
})

describe('events that wait for a slot', () => {
  /** Ends ten orders, delivers the first of their events, and returns what the worker delivers next. */
  async function deliverOne(toDeliver: number): Promise<string[]> {
    const [id = ''] = await endOrders(10, 100)
    const { event_id: eventId, claim_id: claimId } = await claimAttempt(sql(), id)
    const results = [{ ordinal: 1, eventId, claimId, result: answered(200) }]
    const rows = await sql()`
      select ready_event_id as id from work.finish_deliveries(${sql().json(results)}, 0, ${toDeliver})
      where ready_event_id is not null`
    return rows.map((row) => row.id)
  }

  test('are given to the worker whose delivery ended, one for one', async () => {
    expect(await deliverOne(5)).toHaveLength(1)
    expect((await states()).sort()).toEqual(['delivered', ...Array(8).fill('ready'), 'ready deliver_webhook'])
  })

  test('have a job where that has no place', async () => {
    expect(await deliverOne(0)).toEqual([])
    expect((await states()).filter((state) => state === 'ready deliver_webhook')).toHaveLength(2)
  })
})

describe('an event that nobody begins to deliver', () => {
  test('goes by the queue when its slot was unused for 10 s, and no attempt is counted', async () => {
    const [id = ''] = await endOrders(1, 1)
    await age(9)
    await tick()
    expect(await states()).toEqual(['ready'])
    await age(2)
    await tick()
    expect(await states()).toEqual(['ready deliver_webhook'])
    const attempt = await claimAttempt(sql(), id)
    expect(attempt.attempt).toBe(1)
    expect(await finishAttempt(sql(), attempt, answered(200))).toBe('delivered')
  })

  test('is sent once where the worker comes late after all', async () => {
    const [id = ''] = await endOrders(1, 1)
    await age(11)
    await tick()
    const both = await Promise.all(
      [1, 2].map(() => sql()`select * from work.begin_deliveries(array[${id}]::uuid[])`),
    )
    expect(both.flat()).toHaveLength(1)
  })
})

test('an attempt whose worker died counts as lost, without a job to say so', async () => {
  const [id = ''] = await endOrders(1, 1)
  await sql()`select * from work.begin_deliveries(array[${id}]::uuid[])`
  expect(await states()).toEqual(['sending'])
  await age(61)
  await tick()
  expect(await states()).toEqual(['waiting deliver_waiting'])
  expect(
    await sql()`select attempt, outcome from ops.delivery_attempts where event_id = ${id}`,
  ).toMatchObject([{ attempt: 1, outcome: 'lost' }])
  expect(await audit(sql())).toEqual([])
})
