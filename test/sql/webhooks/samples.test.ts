import postgres from 'postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { answered, beginDeliveries, finishAttempt, leaseAttempt } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { audit } from '../../support/orders.ts'
import { makePartner, type Partner } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { explainingSession, mostRead } from '../../support/sql/plans.ts'

const { database, sql, newEvent, attempt, attemptsOf } = itemTests()
const callbackUrl = 'https://hooks.example/x'
let partner: Partner

const testPartner = () => makePartner(sql(), { mode: 'test', balance: 10_000 })
beforeEach(async () => {
  partner = await testPartner()
})

type Answer = { event_id: string | null; refusal: string | null; retry_after: number | null }

async function simulate(to = sql(), { accountId } = partner) {
  const [row] = await to<Answer[]>`
    select * from api.simulate_webhook(${accountId}, ${callbackUrl}, 'order.completed')`
  return row as Answer
}

/** Makes samples that were asked for some time ago and are still open. */
const openSamples = (count: number, age: string, { accountId } = partner) => sql()`
  insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, next_attempt_at, created_at)
  select ${accountId}, 'x', 'order.completed', ${callbackUrl}, '{}', true, now() + interval '1 hour',
    now() - ${age}::interval
  from generate_series(1, ${count}::int)`

const deliverAll = () => sql()`
  update supply.events set state = 'delivered', next_attempt_at = null, delivered_at = now()
  where account_id = ${partner.accountId}`

/** Asks for 150 samples at once, as two processes with sixteen connections each do. */
async function race(): Promise<{ accepted: number; refusals: string[] }> {
  const processes = [1, 2].map(() => postgres(database.url, { max: 16, onnotice: () => {} }))
  try {
    const asked = Array.from({ length: 150 }, (_, n) => processes[n % 2] as postgres.Sql)
    const answers = await Promise.all(asked.map((process) => simulate(process)))
    const refusals = [...new Set(answers.flatMap(({ refusal }) => refusal ?? []))]
    return { accepted: answers.filter(({ event_id }) => event_id !== null).length, refusals }
  } finally {
    for (const process of processes) await process.end({ timeout: 1 })
  }
}

describe('an account', () => {
  test('has at most a hundred open samples, also when two processes ask at once', async () => {
    await openSamples(50, '2 minutes')
    await openSamples(20, '1 hour')
    expect(await race()).toEqual({ accepted: 30, refusals: ['too_many_open'] })
  })

  test('has at most sixty samples in any minute, also when two processes ask at once', async () => {
    expect(await race()).toEqual({ accepted: 60, refusals: ['too_many_a_minute'] })
    expect((await simulate(sql(), await testPartner())).refusal).toBeNull()
  })

  test('reads after how many seconds its window of sixty samples ends', async () => {
    for (let n = 0; n < 60; n += 1) expect((await simulate()).refusal).toBeNull()
    const { refusal, retry_after: wait } = await simulate()
    expect(refusal).toBe('too_many_a_minute')
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(60)
    await sql()`update supply.rate_windows set started_at = started_at - interval '60 s'
      where kind = 'samples' and subject = ${String(partner.accountId)}`
    expect((await simulate()).refusal).toBeNull()
  })

  test('may ask for more samples when earlier ones were delivered, whatever its real events are', async () => {
    await openSamples(99, '2 minutes')
    await deliverAll()
    await openSamples(99, '2 minutes')
    await newEvent(partner)
    expect((await simulate()).refusal).toBeNull()
    expect((await simulate()).refusal).toBe('too_many_open')
  })
})

test('a sample reads as many rows however many were sent, by plans that were made while there were none', async () => {
  const session = await explainingSession(database.url, plansByKey)
  try {
    const ask = (to: Partner) =>
      session.explained(
        (on) => on`select * from api.simulate_webhook(${to.accountId}, ${callbackUrl}, 'order.completed')`,
      )
    for (let n = 0; n < 8; n += 1) await ask(await testPartner())
    await openSamples(5000, '2 hours')
    await openSamples(5000, '1 s', await testPartner())
    // What is known of the table then is no longer true when the plans are made again for it.
    await sql()`analyze supply.events`
    await deliverAll()
    const { rows, statements } = await ask(partner)
    expect(rows).toMatchObject([{ refusal: null }])
    expect(mostRead(statements)).toBeLessThan(500)
  } finally {
    await session.end()
  }
})

describe('the removal of samples', () => {
  beforeEach(async () => {
    await sql()`delete from supply.delivery_attempts where event_id in (select id from supply.events where simulated)`
    await sql()`delete from supply.events where simulated`
  })

  /** Removes old samples, and returns how many. */
  async function remove(): Promise<number> {
    const removed = () => oneValue<number>(sql()`select removed::int from ops.housekeeping where what = 'samples'`)
    const before = await removed()
    await sql()`select work.remove_old('samples', '1 day', true)`
    return (await removed()) - before
  }

  const age = (ids: string[], by: string) => sql()`
    update supply.events set created_at = created_at - ${by}::interval where id = any(${ids})`
  const newSample = async () => (await simulate()).event_id as string

  test('takes those a day old in every state, but no real events and no younger samples', async () => {
    const [waiting, sending, retried, delivered, dead, young] = [
      ...[await newSample(), await newSample(), await newSample()],
      ...[await newSample(), await newSample(), await newSample()],
    ] as const
    await leaseAttempt(sql(), sending)
    await attempt(retried, answered(500))
    await attempt(delivered, answered(200))
    await attempt(dead, answered(404))
    const real = await newEvent(partner)
    await age([waiting, sending, retried, delivered, dead, real], '24 hours 1 s')
    await age([young], '23 hours')
    expect(await remove()).toBe(5)
    const left = await sql()`select event_id from ops.events where account_id = ${partner.accountId}`
    expect(left.map(({ event_id }) => event_id).sort()).toEqual([young, real].sort())
    expect(await attemptsOf(delivered)).toEqual([])
    expect(await remove()).toBe(0)
    expect(await audit(sql())).toEqual([])
  })

  test('leaves nothing to do for the job and the worker of a sample', async () => {
    const [waiting, sending] = [await newSample(), await newSample()]
    const leased = await leaseAttempt(sql(), sending)
    await age([waiting, sending], '25 hours')
    expect(await remove()).toBe(2)
    expect(await beginDeliveries(sql(), [waiting])).toHaveLength(0)
    expect(await finishAttempt(sql(), leased, answered(200))).toBe('stale')
    expect(await audit(sql())).toEqual([])
  })
})
