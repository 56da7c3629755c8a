import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import {
  answered,
  finishAttempt,
  leaseAttempt,
  leaseAttempts,
  makeEvent,
  makeEvents,
  refused,
  rungs,
  unreachable,
} from '../../support/events.ts'
import { audit } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql())
})

async function eventOf(id: string) {
  const [row] = await sql()`
    select e.*, d.reason, extract(epoch from e.next_attempt_at - now())::float as wait
    from ops.events e left join ops.dead_letters d using (event_id) where e.event_id = ${id}`
  return row ?? {}
}

async function jobOf(id: string) {
  return [
    ...(await sql()`
    select extract(epoch from run_at - now())::float as wait from graphile_worker.jobs where key = ${`deliver_webhook:${id}`}`),
  ]
}

async function attemptsOf(id: string) {
  return [
    ...(await sql()`select * from ops.delivery_attempts where event_id = ${id} order by started_at, attempt`),
  ]
}

describe('an event', () => {
  test("is signed with the secret made at the account's first delivery, which never changes", async () => {
    const [before] = await sql()`select ops.webhook_secret(${partner.accountId}) as secret`
    expect(before?.secret).toBeNull()
    const first = await leaseAttempt(sql(), await makeEvent(sql(), partner))
    const second = await leaseAttempt(sql(), await makeEvent(sql(), partner))
    expect(first.secret).toMatch(/^[0-9a-f]{64}$/)
    expect(second.secret).toBe(first.secret)
    const [after] = await sql()`select ops.webhook_secret(${partner.accountId}) as secret`
    expect(after?.secret).toBe(first.secret)
  })

  test('is counted before it is sent, and leased by one worker only', async () => {
    const id = await makeEvent(sql(), partner)
    const leases = await Promise.all(Array.from({ length: 8 }, () => leaseAttempts(sql(), [id])))
    expect(leases.flat()).toHaveLength(1)
    expect(await eventOf(id)).toMatchObject({ state: 'sending', attempts: 1 })
    expect(await audit(sql())).toEqual([])
  })

  test('walks nine attempts down the ladder, with the same bytes each time, then is a dead letter', async () => {
    const id = await makeEvent(sql(), partner)
    const bodies = new Set<string>()
    const waits: number[] = []
    for (let n = 1; n <= 9; n += 1) {
      const attempt = await leaseAttempt(sql(), id)
      expect(attempt.attempt).toBe(n)
      bodies.add(attempt.body)
      const verdict = await finishAttempt(sql(), attempt, answered(500))
      expect(verdict).toBe(n < 9 ? 'retry' : 'attempts_exhausted')
      const { state, wait } = await eventOf(id)
      if (n < 9) {
        expect(state).toBe('waiting')
        waits.push(Math.round(wait))
        expect(await jobOf(id)).toHaveLength(1)
        expect(Math.round((await jobOf(id))[0]?.wait)).toBe(Math.round(wait))
      }
    }
    expect(waits).toEqual(rungs)
    expect(bodies.size).toBe(1)
    expect(await eventOf(id)).toMatchObject({ state: 'dead', attempts: 9, reason: 'attempts_exhausted' })
    expect(await leaseAttempts(sql(), [id])).toEqual([])
    expect(await audit(sql())).toEqual([])
  })
})

describe('an answer', () => {
  test.each([200, 201, 202, 204, 299])('%i means delivered', async (status) => {
    const id = await makeEvent(sql(), partner)
    expect(await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(status))).toBe('delivered')
    expect(await eventOf(id)).toMatchObject({ state: 'delivered', attempts: 1, next_attempt_at: null })
    expect(await attemptsOf(id)).toMatchObject([
      { attempt: 1, status_code: status, outcome: 'delivered', error: null },
    ])
  })

  test.each([408, 429, 500, 502, 503, 504, 599])('%i means a retry', async (status) => {
    const id = await makeEvent(sql(), partner)
    expect(await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(status))).toBe('retry')
    expect(Math.round((await eventOf(id)).wait)).toBe(60)
  })

  test.each([
    [400, 'http_4xx'],
    [401, 'http_4xx'],
    [404, 'http_4xx'],
    [410, 'http_4xx'],
    [499, 'http_4xx'],
    [301, 'http_3xx'],
    [302, 'http_3xx'],
    [304, 'http_3xx'],
    [308, 'http_3xx'],
  ])('%i means a dead letter at once: %s', async (status, reason) => {
    const id = await makeEvent(sql(), partner)
    expect(await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(status))).toBe(reason)
    expect(await eventOf(id)).toMatchObject({ state: 'dead', attempts: 1, reason, next_attempt_at: null })
    const [alert] =
      await sql()`select count from ops.alerts where cause = ${`dead_letter:${reason}:account ${partner.accountId}`}`
    expect(alert?.count).toBe(1)
  })

  test('that never came means a retry', async () => {
    const id = await makeEvent(sql(), partner)
    expect(await finishAttempt(sql(), await leaseAttempt(sql(), id), unreachable('timeout after 10 s'))).toBe(
      'retry',
    )
    expect(await attemptsOf(id)).toMatchObject([
      { status_code: null, error: 'timeout after 10 s', outcome: 'retry' },
    ])
  })

  test.each(['invalid_url', 'blocked_address'])(
    'that was never asked for, %s, means a dead letter',
    async (reason) => {
      const id = await makeEvent(sql(), partner)
      expect(await finishAttempt(sql(), await leaseAttempt(sql(), id), refused(reason))).toBe(reason)
      expect(await eventOf(id)).toMatchObject({ state: 'dead', reason })
    },
  )

  test('that was never asked for, because the name gave no address, means a retry; of a sample a dead letter', async () => {
    const unresolved = { kind: 'unresolved', error: 'name does not resolve: ENOTFOUND' }
    const id = await makeEvent(sql(), partner)
    expect(await finishAttempt(sql(), await leaseAttempt(sql(), id), unresolved)).toBe('retry')
    expect(Math.round((await eventOf(id)).wait)).toBe(60)
    const [sample] = await sql()`
      select event_id from api.simulate_webhook(${partner.accountId}, 'https://hooks.example/x', 'order.completed')`
    const attempt = await leaseAttempt(sql(), sample?.event_id)
    expect(await finishAttempt(sql(), attempt, unresolved)).toBe('unresolved')
    expect(await eventOf(sample?.event_id)).toMatchObject({ state: 'dead', dead_reason: 'unresolved' })
  })

  test('with Retry-After replaces that one delay; later rungs return to the table', async () => {
    const id = await makeEvent(sql(), partner)
    await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(429, 7))
    expect(Math.round((await eventOf(id)).wait)).toBe(7)
    await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(500))
    expect(Math.round((await eventOf(id)).wait)).toBe(rungs[1])
    expect(await attemptsOf(id)).toMatchObject([{ retry_after_seconds: 7 }, { retry_after_seconds: null }])
  })

  test('with Retry-After never adds an attempt', async () => {
    const id = await makeEvent(sql(), partner)
    for (let n = 1; n <= 9; n += 1)
      await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(429, 5))
    expect(await eventOf(id)).toMatchObject({ state: 'dead', attempts: 9, reason: 'attempts_exhausted' })
  })

  test("recorded under a lease that is no longer the event's changes nothing", async () => {
    const id = await makeEvent(sql(), partner)
    const attempt = await leaseAttempt(sql(), id)
    await finishAttempt(sql(), attempt, answered(500))
    expect(await finishAttempt(sql(), attempt, answered(400))).toBe('stale')
    expect(await eventOf(id)).toMatchObject({ state: 'waiting', attempts: 1 })
  })
})

describe('a send whose outcome was lost', () => {
  async function lose(id: string) {
    await sql()`update supply.events set lease_expires_at = now() - interval '10 s' where id = ${id}`
    return sql()`select * from work.begin_deliveries(${[id]})`
  }

  test('counts, and goes on to the next rung from the end of its lease', async () => {
    const id = await makeEvent(sql(), partner)
    await leaseAttempt(sql(), id)
    expect(await lose(id)).toHaveLength(0)
    expect(await eventOf(id)).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(Math.round((await eventOf(id)).wait)).toBe(50)
    expect(await attemptsOf(id)).toMatchObject([{ outcome: 'lost' }])
    expect(await audit(sql())).toEqual([])
  })

  test('is never a tenth: nine lost ones are a dead letter with an alert', async () => {
    const id = await makeEvent(sql(), partner)
    for (let n = 1; n <= 9; n += 1) {
      expect((await leaseAttempt(sql(), id)).attempt).toBe(n)
      expect(await lose(id)).toHaveLength(0)
    }
    expect(await eventOf(id)).toMatchObject({ state: 'dead', attempts: 9, reason: 'attempts_exhausted' })
    expect(await attemptsOf(id)).toHaveLength(9)
  })

  test('changes nothing when its worker records it during the next attempt', async () => {
    const id = await makeEvent(sql(), partner)
    const first = await leaseAttempt(sql(), id)
    await lose(id)
    const second = await leaseAttempt(sql(), id)
    expect(await finishAttempt(sql(), first, answered(200))).toBe('stale')
    expect(await eventOf(id)).toMatchObject({ state: 'sending', attempts: 2 })
    expect(await finishAttempt(sql(), second, answered(200))).toBe('delivered')
    expect(await attemptsOf(id)).toMatchObject([{ outcome: 'lost' }, { outcome: 'delivered' }])
  })

  test('is looked at again when its lease ends, while that runs', async () => {
    const id = await makeEvent(sql(), partner)
    await leaseAttempt(sql(), id)
    expect(await leaseAttempts(sql(), [id])).toEqual([])
    expect((await jobOf(id))[0]?.wait).toBeGreaterThan(25)
  })
})

describe('one account', () => {
  test('has no more deliveries under way than slots, over all workers; the rest costs no attempt', async () => {
    const events = await Promise.all(Array.from({ length: 20 }, () => makeEvent(sql(), partner)))
    const leases = await Promise.all(events.map((id) => leaseAttempts(sql(), [id])))
    expect(leases.flat()).toHaveLength(8)
    const [counts] = await sql()`
      select count(*) filter (where state = 'sending')::int as sending, sum(attempts)::int as attempts
      from ops.events where account_id = ${partner.accountId}`
    expect(counts).toEqual({ sending: 8, attempts: 8 })
    expect(await audit(sql())).toEqual([])
  })

  test('with as many does not hold up another', async () => {
    const other = await makePartner(sql())
    const mine = await Promise.all(Array.from({ length: 10 }, () => makeEvent(sql(), partner)))
    const theirs = await makeEvent(sql(), other)
    const leases = await leaseAttempts(sql(), [...mine, theirs])
    expect(leases).toHaveLength(9)
    expect(leases.map(({ event_id }) => event_id)).toContain(theirs)
    expect(new Set(leases.map(({ secret }) => secret)).size).toBe(2)
  })

  test('gets its place back when a lease runs out', async () => {
    const events = await makeEvents(sql(), partner, 9)
    const [first = '', last = ''] = [events[0], events[8]]
    await leaseAttempts(sql(), events.slice(0, 8))
    expect(await leaseAttempts(sql(), [last])).toEqual([])
    await sql()`update supply.events set lease_expires_at = now() - interval '1 s' where id = ${first}`
    expect(await leaseAttempts(sql(), [last])).toHaveLength(1)
    expect(await leaseAttempts(sql(), [first])).toEqual([])
    expect(await audit(sql())).toEqual([])
  })
})

describe('an operator', () => {
  test('redelivers a dead letter: the same event in a new round of nine', async () => {
    const id = await makeEvent(sql(), partner)
    const first = await leaseAttempt(sql(), id)
    await finishAttempt(sql(), first, answered(404))
    await sql()`select ops.redeliver(${id})`
    expect(await eventOf(id)).toMatchObject({ state: 'waiting', attempts: 0, reason: null })
    for (let n = 1; n <= 9; n += 1) {
      const attempt = await leaseAttempt(sql(), id)
      expect(attempt).toMatchObject({ attempt: n, body: first.body })
      await finishAttempt(sql(), attempt, answered(500))
    }
    expect(await eventOf(id)).toMatchObject({ state: 'dead', attempts: 9, reason: 'attempts_exhausted' })
    expect(await attemptsOf(id)).toHaveLength(10)
    expect(await audit(sql())).toEqual([])
  })

  test('has the next attempt made now', async () => {
    const id = await makeEvent(sql(), partner)
    await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(500))
    await sql()`select ops.deliver_now(${id})`
    expect((await jobOf(id))[0]?.wait).toBeLessThanOrEqual(0)
    const leased = await sql()`select * from work.begin_deliveries(${[id]})`
    expect(leased).toHaveLength(1)
  })

  test('is alerted once a cause and hour, with a count', async () => {
    for (let n = 0; n < 3; n += 1) {
      const id = await makeEvent(sql(), partner)
      await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(403))
    }
    const alerts =
      await sql()`select count, cause from ops.alerts where cause = ${`dead_letter:http_4xx:account ${partner.accountId}`}`
    expect([...alerts]).toMatchObject([{ count: 3 }])
  })
})
