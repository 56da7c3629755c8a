import { describe, expect, test } from 'vitest'
import {
  answered,
  beginDeliveries,
  finishAttempt,
  leaseAttempt,
  leaseAttempts,
  refused,
  rungs,
  unreachable,
} from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { sql, partner, newEvent, newEvents, eventOf, jobsOf, attempt, attemptsOf, alertsOf } = itemTests({
  audited: true,
})

const unresolved = { kind: 'unresolved', errorKind: 'name_not_resolved', error: 'name does not resolve: ENOTFOUND' }

describe('an event', () => {
  test("is signed with the secret made at the account's first delivery, which never changes", async () => {
    const first = await leaseAttempts(sql(), await newEvents(2))
    expect(first.map(({ secret }) => secret)).toEqual([null, null])
    const [made, again] = ['a'.repeat(64), 'b'.repeat(64)]
    for (const secret of [made, again]) {
      expect(await oneValue(sql()`select work.keep_webhook_secret(${partner().accountId}, ${secret})`)).toBe(made)
    }
    expect((await leaseAttempt(sql(), await newEvent())).secret).toBe(made)
  })

  test('is counted before it is sent, and leased by one worker only', async () => {
    const id = await newEvent()
    const leases = await Promise.all(Array.from({ length: 8 }, () => leaseAttempts(sql(), [id])))
    expect(leases.flat()).toHaveLength(1)
    expect(await eventOf(id)).toMatchObject({ state: 'sending', attempts: 1 })
  })

  test('has nine attempts with the delays of the ladder and the same bytes, and then is a dead letter', async () => {
    const id = await newEvent()
    const bodies = new Set<string>()
    const waits: number[] = []
    for (let n = 1; n <= 9; n += 1) {
      const leased = await leaseAttempt(sql(), id)
      expect(leased.attempt).toBe(n)
      bodies.add(leased.body)
      expect(await finishAttempt(sql(), leased, answered(500))).toBe(n < 9 ? 'retry' : 'attempts_exhausted')
      const jobs = (await jobsOf(id)).map(({ wait }) => Math.ceil(wait))
      expect(jobs).toEqual(n < 9 ? [Math.ceil((await eventOf(id)).wait)] : [])
      waits.push(...jobs)
    }
    expect(waits).toEqual(rungs)
    expect(bodies.size).toBe(1)
    expect(await eventOf(id)).toMatchObject({ state: 'dead', attempts: 9, dead_reason: 'attempts_exhausted' })
    expect(await leaseAttempts(sql(), [id])).toEqual([])
  })
})

test('only the record that all of its attempts were delivered need not wait for the disk', async () => {
  const waits = async (statuses: number[]) => {
    const leased = await leaseAttempts(sql(), await newEvents(statuses.length))
    const results = leased.map(({ event_id: eventId, lease_token: leaseToken }, place) => {
      return { ordinal: place + 1, eventId, leaseToken, result: answered(statuses[place] ?? 0) }
    })
    return sql().begin(async (tx) => {
      await tx`set local synchronous_commit = 'on'`
      await tx`select work.finish_deliveries(${tx.json(results)}, 0, null)`
      return (await oneValue(tx`show synchronous_commit`)) === 'on'
    })
  }
  expect(await waits([200, 204])).toBe(false)
  expect(await waits([200, 500])).toBe(true)
  expect(await waits([410])).toBe(true)
})

describe('an answer', () => {
  test.each([200, 201, 202, 204, 299])('with status %i means delivered', async (status) => {
    const id = await newEvent()
    expect(await attempt(id, answered(status))).toBe('delivered')
    expect(await eventOf(id)).toMatchObject({ state: 'delivered', attempts: 1, next_attempt_at: null })
    expect(await attemptsOf(id)).toMatchObject([{ attempt: 1, status_code: status, outcome: 'delivered', error: null }])
  })

  test.each([
    ...[408, 429, 500, 502, 503, 504, 599].map((status) => [`with status ${status}`, answered(status)]),
    ['that never came', unreachable('timeout after 10 s')],
    ['whose host name does not resolve', unresolved],
  ] as [string, object][])('%s means a retry', async (_, result) => {
    const id = await newEvent()
    expect(await attempt(id, result)).toBe('retry')
    expect(Math.ceil((await eventOf(id)).wait)).toBe(60)
    const { status = null, error = null } = result as { status?: number; error?: string }
    expect(await attemptsOf(id)).toMatchObject([{ status_code: status, error, outcome: 'retry' }])
  })

  test.each([
    ...[400, 401, 404, 410, 499].map((status) => [status, 'http_4xx', answered(status)]),
    ...[301, 302, 304, 308].map((status) => [status, 'http_3xx', answered(status)]),
    ...['invalid_url', 'blocked_address'].map((reason) => ['no request', reason, refused(reason)]),
  ] as [string, string, object][])('%s, %s, means a dead letter and an alert', async (_, reason, result) => {
    const id = await newEvent()
    expect(await attempt(id, result)).toBe(reason)
    expect(await eventOf(id)).toMatchObject({
      ...{ state: 'dead', attempts: 1, dead_reason: reason, next_attempt_at: null },
    })
    expect(await alertsOf(`dead_letter:${reason}:account ${partner().accountId}`)).toBe(1)
  })

  test('of a sample whose host name does not resolve means a dead letter', async () => {
    const [sample] = await sql()`
      select event_id as id from api.simulate_webhook(${partner().accountId}, 'https://hooks.example/x', 'order.completed')`
    expect(await attempt(sample?.id, unresolved)).toBe('refused_sample')
    expect(await eventOf(sample?.id)).toMatchObject({ state: 'dead', dead_reason: 'unresolved' })
  })

  test('with Retry-After replaces one delay and adds no attempt', async () => {
    const id = await newEvent()
    await attempt(id, answered(429, 7))
    expect(Math.ceil((await eventOf(id)).wait)).toBe(7)
    await attempt(id, answered(500))
    expect(Math.ceil((await eventOf(id)).wait)).toBe(rungs[1])
    expect(await attemptsOf(id)).toMatchObject([{ retry_after_seconds: 7 }, { retry_after_seconds: null }])
    for (let n = 3; n <= 9; n += 1) await attempt(id, answered(429, 5))
    expect(await eventOf(id)).toMatchObject({ state: 'dead', attempts: 9, dead_reason: 'attempts_exhausted' })
  })
})

describe('an attempt whose outcome was lost', () => {
  async function lose(id: string) {
    await sql()`update supply.events set lease_expires_at = now() - interval '10 s' where id = ${id}`
    return beginDeliveries(sql(), [id])
  }

  test('counts, and the next rung is counted from the end of its lease', async () => {
    const id = await newEvent()
    await leaseAttempt(sql(), id)
    expect(await lose(id)).toHaveLength(0)
    expect(await eventOf(id)).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(Math.ceil((await eventOf(id)).wait)).toBe(50)
    expect(await attemptsOf(id)).toMatchObject([{ outcome: 'lost' }])
  })

  test('stays lost when its worker records it during the next attempt', async () => {
    const id = await newEvent()
    const first = await leaseAttempt(sql(), id)
    await lose(id)
    const second = await leaseAttempt(sql(), id)
    expect(await finishAttempt(sql(), first, answered(200))).toBe('stale')
    expect(await eventOf(id)).toMatchObject({ state: 'sending', attempts: 2 })
    expect(await finishAttempt(sql(), second, answered(200))).toBe('delivered')
    expect(await attemptsOf(id)).toMatchObject([{ outcome: 'lost' }, { outcome: 'delivered' }])
  })

  test('has a job at the end of its lease', async () => {
    const id = await newEvent()
    await leaseAttempt(sql(), id)
    expect(await leaseAttempts(sql(), [id])).toEqual([])
    expect((await jobsOf(id))[0]?.wait).toBeGreaterThan(25)
  })
})

test('an attempt that was too late to be made does not count, and its event is due at once', async () => {
  const id = await newEvent()
  await attempt(id, answered(500))
  for (let n = 0; n < 3; n += 1) {
    const leased = await leaseAttempt(sql(), id)
    expect(leased.attempt).toBe(2)
    expect(await finishAttempt(sql(), leased, { kind: 'late', error: 'too late' })).toBe('unsent')
    expect(await finishAttempt(sql(), leased, answered(200))).toBe('stale')
  }
  expect(await attempt(id, answered(200))).toBe('delivered')
  const attempts =
    await sql()`select attempt, outcome from ops.delivery_attempts where event_id = ${id} order by attempt`
  expect([...attempts]).toEqual([
    { attempt: 1, outcome: 'retry' },
    { attempt: 2, outcome: 'delivered' },
  ])
})
