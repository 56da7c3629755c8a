import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answered, finishAttempt, unreachable } from '../../support/events.ts'
import { completed, failed, leaseCalls } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

// Attempts that the worker which recorded a result makes at once: they are leased in that statement, and have no job.
const database = testDatabase()
const sql = () => database.sql
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql(), { balance: 10_000 })
  await haveSecret()
})

type Attempt = { event_id: string; lease_token: string; attempt: number }

/** Without a secret the first delivery goes by the queue. */
const haveSecret = () => sql()`
  insert into supply.webhook_secrets (account_id, secret) values (${partner.accountId}, ${'5'.repeat(64)})`

const attemptColumns = [
  ...[
    'event_id',
    'lease_token',
    'callback_url',
    'event_type',
    'body',
    'secret',
    'attempt',
    'request_id',
    'request_id_given',
  ],
  'traceparent',
]

/** Records the results of the items' calls in one batch; returns the first attempts that were leased with it. */
async function finish(
  itemIds: string[],
  resultOf: (ordinal: number) => object,
  toSend: number,
): Promise<Attempt[]> {
  const calls = await leaseCalls(sql(), itemIds)
  const results = calls.map(({ ordinal, item_id: itemId, lease_token: leaseToken }) => ({
    ...{ ordinal, itemId, leaseToken, result: resultOf(ordinal) },
  }))
  return sql()<Attempt[]>`
    select ${sql()(attemptColumns)} from work.finish_calls(${sql().json(results as never)}, '24 hours', '30 minutes', ${toSend}, null)
    where event_id is not null`
}

async function placedItems(): Promise<string[]> {
  const { body } = await place(sql(), partner, { callbackUrl: 'https://hooks.example/x' })
  return body.items.map(({ id }) => id)
}

/** Ends so many orders in one batch; returns the attempts to make at once. */
async function endOrders(count: number, toSend: number): Promise<Attempt[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push(...(await placedItems()))
  return finish(ids, () => completed(), toSend)
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
  sql()`update supply.events set lease_expires_at = lease_expires_at - make_interval(secs => ${seconds})
    where account_id = ${partner.accountId} and lease_expires_at is not null`

describe('events of orders that end', () => {
  test('are given to the worker that asked for some, and have no job then; the others have one', async () => {
    expect(await endOrders(3, 2)).toHaveLength(2)
    expect((await states()).sort()).toEqual(['ready deliver_webhook', 'sending', 'sending'])
    expect(await audit(sql())).toEqual([])
  })

  test('come as the first attempt, with what is sent, as the queue would have it', async () => {
    const [attempt] = await endOrders(1, 1)
    const [event] = await sql()`select id, body from supply.events where account_id = ${partner.accountId}`
    expect(attempt).toEqual({
      ...{ event_id: event?.id, lease_token: expect.any(String), attempt: 1, body: event?.body },
      ...{ event_type: 'order.completed', callback_url: 'https://hooks.example/x', secret: '5'.repeat(64) },
      ...{ request_id: null, request_id_given: null, traceparent: null },
    })
    if (attempt) expect(await finishAttempt(sql(), attempt, answered(200))).toBe('delivered')
    expect(await states()).toEqual(['delivered'])
  })

  test('have a job where the account has no secret yet', async () => {
    await sql()`delete from supply.webhook_secrets where account_id = ${partner.accountId}`
    expect(await endOrders(1, 1)).toEqual([])
    expect(await states()).toEqual(['ready deliver_webhook'])
  })

  test('have a job where the worker asked for none', async () => {
    expect(await endOrders(1, 0)).toEqual([])
    expect(await states()).toEqual(['ready deliver_webhook'])
  })

  test('wait in the queue without a slot', async () => {
    expect(await endOrders(10, 100)).toHaveLength(8)
    expect((await states()).sort()).toEqual([...Array(2).fill('queued'), ...Array(8).fill('sending')])
  })

  test('come after those that wait for a slot already', async () => {
    const [oldest] = await endOrders(9, 9)
    const waiting = await sql()`
      select id from supply.events where account_id = ${partner.accountId} and state = 'queued'`
    // Its lease ended, and nobody has given its slot out yet.
    await sql()`update supply.events set lease_expires_at = now() - interval '1 s' where id = ${oldest?.event_id ?? ''}`
    const next = await endOrders(1, 1)
    expect(next.map(({ event_id: id }) => ({ id }))).toEqual([...waiting])
    expect((await states()).filter((state) => state === 'queued')).toHaveLength(1)
  })

  test('go by the queue where the receiver did not answer recently', async () => {
    const [attempt] = await endOrders(1, 1)
    if (attempt) await finishAttempt(sql(), attempt, unreachable())
    expect(await endOrders(1, 1)).toEqual([])
    expect(await states()).toContain('ready deliver_waiting')
  })

  test('are none where the result is partial', async () => {
    const { body } = await place(sql(), partner, {
      callbackUrl: 'https://hooks.example/x',
      items: [{ productId: products.topUp }, { productId: products.topUp }],
    })
    const ids = body.items.map(({ id }) => id)
    expect(await finish(ids, (ordinal) => (ordinal === 1 ? completed() : failed()), 9)).toEqual([])
    expect(await states()).toEqual([])
  })
})

describe('events that wait for a slot', () => {
  /** Ends ten orders, delivers the first of their events, and returns what the worker delivers next. */
  async function deliverOne(toSend: number): Promise<Attempt[]> {
    const [first] = await endOrders(10, 100)
    const results = [
      { ordinal: 1, eventId: first?.event_id, leaseToken: first?.lease_token, result: answered(200) },
    ]
    return sql()<Attempt[]>`
      select ${sql()(attemptColumns)} from work.finish_deliveries(${sql().json(results as never)}, ${toSend}, null)
      where event_id is not null`
  }

  test('are leased to the worker whose delivery ended, as far as there are slots', async () => {
    const next = await deliverOne(5)
    expect(next.map(({ attempt }) => attempt)).toEqual([1, 1])
    expect((await states()).sort()).toEqual(['delivered', ...Array(9).fill('sending')])
  })

  test('have a job where that has no place', async () => {
    expect(await deliverOne(0)).toEqual([])
    expect((await states()).filter((state) => state === 'ready deliver_webhook')).toHaveLength(2)
  })
})

test('an attempt whose worker died counts as lost, without a job to say so', async () => {
  const [attempt] = await endOrders(1, 1)
  await age(61)
  await tick()
  expect(await states()).toEqual(['waiting deliver_waiting'])
  expect(
    await sql()`select attempt, outcome from ops.delivery_attempts where event_id = ${attempt?.event_id ?? ''}`,
  ).toMatchObject([{ attempt: 1, outcome: 'lost' }])
  expect(await audit(sql())).toEqual([])
})

test('an attempt whose lease ended so long ago that the next rung is due is followed by it at once', async () => {
  await endOrders(1, 1)
  await age(30 + 62)
  await tick()
  expect(await states()).toEqual(['ready deliver_waiting'])
  expect(await audit(sql())).toEqual([])
})

test('an event whose job is gone gets another one when its slot was unused for 10 s', async () => {
  await endOrders(1, 1)
  await sql()`delete from supply.delivery_attempts`
  await sql()`update supply.events set state = 'ready', attempts = 0, lease_expires_at = now() + interval '10 s', next_attempt_at = now()
    where account_id = ${partner.accountId}`
  await age(9)
  await tick()
  expect(await states()).toEqual(['ready'])
  await age(2)
  await tick()
  expect(await states()).toEqual(['ready deliver_webhook'])
})

// The last, for it leaves a database that was restored.
test('events of orders from before a restore are held, and take no slot', async () => {
  const before = await placedItems()
  await sql()`select ops.begin_recovery('the dump of Monday')`
  const after = await placedItems()
  const attempts = await finish([...before, ...after], () => completed(), 2)
  expect(attempts).toHaveLength(1)
  expect(await states()).toEqual(expect.arrayContaining(['held', 'sending']))
})
