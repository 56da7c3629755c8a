import { beforeEach, describe, expect, test } from 'vitest'
import { type Attempt, answered, finishAttempt, unreachable } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { completed, failed, finishCalls, leaseCalls } from '../../support/items.ts'
import { audit } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'

// Attempts that the worker which recorded a result makes at once: they are leased in that statement, and have no job.
const { sql, partner, order, attemptsOf } = itemTests({ balance: 10_000 })
const callbackUrl = 'https://hooks.example/x'

// Without a secret the first delivery goes by the queue.
beforeEach(
  () => sql()`
    insert into supply.webhook_secrets (account_id, secret) values (${partner().accountId}, ${'5'.repeat(64)})`,
)

/** Ends so many orders in one batch; returns the attempts that the worker makes at once. */
async function endOrders(count: number, toSend: number): Promise<readonly Attempt[]> {
  const items: string[] = []
  for (let n = 0; n < count; n += 1) items.push((await order({ callbackUrl })).item)
  return (await finishCalls(sql(), await leaseCalls(sql(), items), completed(), { toSend })).attempts
}

/** The states of the partner's events with the tasks of their jobs, in order. */
async function states(): Promise<string[]> {
  const rows = await sql()`
    select e.state || coalesce(' ' || (select string_agg(q.task, ',') from ops.queue q where q.subject = e.id), '') as state
    from supply.events e where e.account_id = ${partner().accountId} order by 1`
  return rows.map(({ state }) => state)
}

async function passLease(seconds: number): Promise<void> {
  await sql()`update supply.events set lease_expires_at = lease_expires_at - make_interval(secs => ${seconds})
    where account_id = ${partner().accountId} and lease_expires_at is not null`
  await sql()`select work.fill_slots()`
}

describe('when orders end, their events', () => {
  test('are leased to the worker that asked for some, without a job; the others have a job', async () => {
    expect(await endOrders(3, 2)).toHaveLength(2)
    expect(await states()).toEqual(['ready deliver_webhook', 'sending', 'sending'])
    expect(await audit(sql())).toEqual([])
  })

  test('are the first attempt, with all that the sender needs', async () => {
    const [attempt] = await endOrders(1, 1)
    const [event] = await sql()`select id, body from supply.events where account_id = ${partner().accountId}`
    expect(attempt).toMatchObject({
      ...{ event_id: event?.id, lease_token: expect.any(String), attempt: 1, body: event?.body },
      ...{ event_type: 'order.completed', callback_url: callbackUrl, secret: '5'.repeat(64) },
      ...{ request_id: null, request_id_given: null, traceparent: null },
    })
    expect(await finishAttempt(sql(), attempt as Attempt, answered(200))).toBe('delivered')
    expect(await states()).toEqual(['delivered'])
  })

  test('have a job when the worker asked for none, or the account has no secret yet', async () => {
    expect(await endOrders(1, 0)).toEqual([])
    await sql()`delete from supply.webhook_secrets where account_id = ${partner().accountId}`
    expect(await endOrders(1, 1)).toEqual([])
    expect(await states()).toEqual(['ready deliver_webhook', 'ready deliver_webhook'])
  })

  test('are queued without a free slot, and then come first', async () => {
    const [oldest] = await endOrders(9, 100)
    expect(await states()).toEqual(['queued', ...Array(8).fill('sending')])
    const waiting = await sql()`
      select id as event_id from supply.events where account_id = ${partner().accountId} and state = 'queued'`
    // Its lease ended, and no session has given its slot to another event yet.
    await sql()`update supply.events set lease_expires_at = now() - interval '1 s' where id = ${oldest?.event_id ?? ''}`
    expect(await endOrders(1, 1)).toMatchObject([...waiting])
    expect((await states()).filter((state) => state === 'queued')).toHaveLength(1)
  })

  test('have a job when the receiver did not answer recently', async () => {
    const [attempt] = await endOrders(1, 1)
    await finishAttempt(sql(), attempt as Attempt, unreachable())
    expect(await endOrders(1, 1)).toEqual([])
    expect(await states()).toContain('ready deliver_waiting')
  })

  test('are not made for a partial result', async () => {
    const { items } = await order({
      callbackUrl,
      items: [{ productId: products.topUp }, { productId: products.topUp }],
    })
    const resultOf = (index: number) => (index === 0 ? completed() : failed())
    const calls = await leaseCalls(sql(), items)
    expect((await finishCalls(sql(), calls, resultOf, { toSend: 9 })).attempts).toEqual([])
    expect(await states()).toEqual([])
  })
})

describe('when a delivery ends, the events that wait for a slot', () => {
  test.each([
    [5, [1, 1], 'on', ['delivered', ...Array(9).fill('sending')]],
    [0, [], 'off', ['delivered', ...Array(2).fill('ready deliver_webhook'), ...Array(7).fill('sending')]],
  ])('are leased to a worker that has place for %i, and else have a job', async (toSend, leased, waits, ended) => {
    const [first] = await endOrders(10, 100)
    const results = [{ ordinal: 1, eventId: first?.event_id, leaseToken: first?.lease_token, result: answered(200) }]
    await sql().begin(async (tx) => {
      await tx`set local synchronous_commit = 'on'`
      const next = await tx`
        select attempt from unnest((work.finish_deliveries(${tx.json(results as never)}, ${toSend}, null)).attempts)`
      expect(next.map(({ attempt }) => attempt)).toEqual(leased)
      // The lease of an attempt must be on the disk before the attempt is made.
      expect(await tx`show synchronous_commit`).toEqual([{ synchronous_commit: waits }])
    })
    expect(await states()).toEqual(ended)
  })
})

test('a first attempt whose worker died is lost, and the next rung is due a minute after its lease ended', async () => {
  const [attempt] = await endOrders(1, 1)
  await passLease(61)
  expect(await states()).toEqual(['waiting deliver_waiting'])
  expect(await attemptsOf(attempt?.event_id ?? '')).toMatchObject([{ attempt: 1, outcome: 'lost' }])
  expect(await audit(sql())).toEqual([])
})

test('a lost attempt whose next rung is due already is followed by it at once', async () => {
  await endOrders(1, 1)
  await passLease(30 + 62)
  expect(await states()).toEqual(['ready deliver_waiting'])
  expect(await audit(sql())).toEqual([])
})

// The last, for it leaves a database that was restored.
test('events of orders from before a restore are held, and take no slot', async () => {
  const before = await order({ callbackUrl })
  await sql()`select ops.begin_recovery('the dump of Monday')`
  const after = await order({ callbackUrl })
  const calls = await leaseCalls(sql(), [before.item, after.item])
  expect((await finishCalls(sql(), calls, completed(), { toSend: 2 })).attempts).toHaveLength(1)
  expect(await states()).toEqual(['held', 'sending'])
})
