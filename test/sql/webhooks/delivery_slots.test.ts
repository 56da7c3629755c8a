import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import {
  type Attempt,
  answered,
  finishAttempt,
  finishAttempts,
  makeEvent,
  makeEvents,
  refused,
  unreachable,
} from '../../support/events.ts'
import { completed, leaseCalls, record } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const database = testDatabase()
const sql = () => database.sql
const atFirst = 8
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql(), { balance: 10_000 })
})

const eventsOf = (count: number, of = partner) => makeEvents(sql(), of, count)

type Job = { id: string; task: string; wait: number }

/** The delivery jobs of an account in the order of its events, with the seconds until each is due. */
async function jobsOf({ accountId }: Partner): Promise<Job[]> {
  return [
    ...(await sql()<Job[]>`
      select e.event_id as id, j.task_identifier as task, extract(epoch from j.run_at - now())::float as wait
      from ops.events e join graphile_worker.jobs j on j.key = 'deliver_webhook:' || e.event_id
      where e.account_id = ${accountId} order by e.created_at`),
  ]
}

const idsOf = (jobs: { id: string }[]) => jobs.map(({ id }) => id)

async function countIn(state: string, { accountId } = partner): Promise<number> {
  const [row] = await sql()`
    select count(*)::int as n from supply.events where account_id = ${accountId} and state = ${state}`
  return row?.n
}

async function slotsOf({ accountId } = partner): Promise<number> {
  const [row] = await sql()`select slots from supply.delivery_slots where account_id = ${accountId}`
  return row?.slots
}

/** Leases the attempts of these events as a worker would that has their jobs, which are done then. */
async function lease(ids: string[]): Promise<Attempt[]> {
  await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids})`
  return [...(await sql()<Attempt[]>`select * from work.begin_deliveries(${ids}) order by ordinal`)]
}

/** Leases the only attempt that is to be leased. */
async function leaseOne(ids: string[]): Promise<Attempt> {
  const [attempt] = await lease(ids)
  if (attempt === undefined) throw new Error('nothing was leased')
  return attempt
}

const finish = (attempts: Attempt[], result: object) => finishAttempts(sql(), attempts, result)
const tick = () => sql()`select work.fill_slots()`
const lose = (ids: string[]) =>
  sql()`update supply.events set lease_expires_at = now() - interval '1 s' where id = any(${ids})`

describe('the due events of one account', () => {
  test('have a slot and a job each, up to eight; the others are queued, and have no job', async () => {
    const ids = await eventsOf(20)
    const jobs = await jobsOf(partner)
    expect(idsOf(jobs)).toEqual(ids.slice(0, atFirst))
    for (const { wait, task } of jobs) {
      expect(wait).toBeLessThanOrEqual(0)
      expect(task).toBe('deliver_webhook')
    }
    expect(
      await sql()`select state, queued, count(*)::int from ops.events where account_id = ${partner.accountId}
        group by 1, 2 order by 2`,
    ).toEqual([
      { state: 'waiting', queued: false, count: 8 },
      { state: 'waiting', queued: true, count: 12 },
    ])
    expect(await audit(sql())).toEqual([])
  })

  test('leave the slots of another account alone', async () => {
    await eventsOf(20)
    const other = await makePartner(sql())
    await eventsOf(3, other)
    expect(await jobsOf(other)).toHaveLength(3)
  })

  test('get the slots that those do not need that wait for a later rung', async () => {
    await finish(await lease(await eventsOf(atFirst)), refused('blocked_address'))
    await finish(await lease(await eventsOf(atFirst)), answered(500))
    expect(await countIn('waiting')).toBe(atFirst)
    await eventsOf(atFirst)
    expect(await countIn('ready')).toBe(atFirst)
  })

  test('are queued, too, when an operator redelivers them all at once', async () => {
    const ids = await eventsOf(40)
    await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids})`
    await sql()`update supply.events
      set state = 'dead', next_attempt_at = null, lease_expires_at = null, dead_at = now(), dead_reason = 'http_4xx'
      where id = any(${ids})`
    const [row] = await sql()`select ops.redeliver_all(${partner.accountId}, '-infinity', false)::int as n`
    expect(row?.n).toBe(40)
    expect(await jobsOf(partner)).toHaveLength(atFirst)
    expect(await audit(sql())).toEqual([])
  })

  test('cost no attempt while they are queued', async () => {
    const ids = await eventsOf(atFirst + 3)
    expect(await lease(ids)).toHaveLength(atFirst)
    expect(await jobsOf(partner)).toHaveLength(0)
    expect(
      await sql()`select sum(attempts)::int as n from ops.events where account_id = ${partner.accountId}`,
    ).toEqual([{ n: atFirst }])
    expect(await audit(sql())).toEqual([])
  })
})

describe('the number of slots', () => {
  test('grows by one with each attempt that is answered quickly, whatever the answer, up to 64', async () => {
    let slots = atFirst
    for (const status of [200, 500, 404, 204]) {
      await finish(await lease(await eventsOf(slots)), answered(status))
      slots = Math.min(64, 2 * slots)
      expect(await slotsOf()).toBe(slots)
    }
  })

  test('is halved with each time-out or failed connection, down to 2', async () => {
    const [first, second, third] = await lease(await eventsOf(3))
    for (const [attempt, slots] of [[first, 4] as const, [second, 2] as const, [third, 2] as const]) {
      if (attempt) await finishAttempt(sql(), attempt, unreachable())
      expect(await slotsOf()).toBe(slots)
    }
  })

  test('is halved as often by many time-outs at the same moment', async () => {
    await sql()`update supply.delivery_slots set slots = 64 where account_id = ${partner.accountId}`
    await finish(await lease(await eventsOf(64)), unreachable('timed out'))
    expect(await slotsOf()).toBe(2)
  })

  test('stays as it is when an answer was slow, an address is blocked, or an attempt is lost', async () => {
    const [slow, blocked, lost] = await lease(await eventsOf(3))
    await sql()`update supply.delivery_attempts set started_at = now() - interval '3 s' where lease_token = ${slow?.lease_token ?? ''}`
    if (slow) await finishAttempt(sql(), slow, answered(200))
    if (blocked) await finishAttempt(sql(), blocked, refused('blocked_address'))
    await lose([lost?.event_id ?? ''])
    await lease([lost?.event_id ?? ''])
    expect(await slotsOf()).toBe(atFirst)
  })

  test('is not changed by a result that came too late', async () => {
    const attempt = await leaseOne(await eventsOf(1))
    await finishAttempt(sql(), attempt, answered(200))
    expect(await finishAttempt(sql(), attempt, unreachable())).toBe('stale')
    expect(await slotsOf()).toBe(atFirst + 1)
  })
})

describe('a slot that gets free', () => {
  test.each([
    ['was delivered', answered(200), 2],
    ['has to be repeated', answered(503), 2],
    ['was refused for good', answered(410), 2],
    ['went to an address that is not allowed', refused('blocked_address'), 1],
  ])('goes to the oldest that is queued when an attempt ended that %s', async (_, result, given) => {
    const ids = await eventsOf(atFirst + 3)
    const [attempt] = await lease(ids)
    if (attempt) await finishAttempt(sql(), attempt, result)
    const due = (await jobsOf(partner)).filter(({ wait }) => wait <= 0)
    expect(idsOf(due)).toEqual(ids.slice(atFirst, atFirst + given))
    expect(await lease(idsOf(due))).toHaveLength(given)
    expect(await audit(sql())).toEqual([])
  })

  test('is not given on where a time-out has halved their number', async () => {
    const attempts = await lease(await eventsOf(atFirst + 3))
    await finish(attempts.slice(0, 4), unreachable())
    expect(await countIn('ready')).toBe(0)
    await finish(attempts.slice(4, 7), refused('blocked_address'))
    expect(await countIn('ready')).toBe(1)
  })

  test('is given on, too, when an attempt was lost', async () => {
    const ids = await eventsOf(atFirst + 2)
    const [lost] = await lease(ids)
    await lose([lost?.event_id ?? ''])
    expect(await lease([lost?.event_id ?? ''])).toHaveLength(0)
    expect(await countIn('ready')).toBe(1)
  })

  test('is given on within a second where the end of an attempt could not, for its worker died', async () => {
    const attempts = await lease(await eventsOf(atFirst + 5))
    await tick()
    expect(await countIn('ready')).toBe(0)
    const lost = attempts.slice(0, 3).map(({ event_id }) => event_id)
    await lose(lost)
    await tick()
    expect(await countIn('ready')).toBe(3)
    await tick()
    expect(await countIn('ready')).toBe(3)
    await lease(lost)
  })

  test('a sweep skips an account whose lock another session holds', async () => {
    const [attempt] = await lease(await eventsOf(atFirst + 3))
    await sql().begin(async (other) => {
      await other`select from supply.delivery_slots where account_id = ${partner.accountId} for update`
      if (attempt) expect(await finishAttempt(sql(), attempt, answered(200))).toBe('delivered')
      await tick()
      expect(await countIn('ready')).toBe(0)
    })
    await tick()
    expect(await countIn('ready')).toBe(1)
  })

  test('goes to nobody of another account', async () => {
    const other = await makePartner(sql())
    const [attempt] = await lease(await eventsOf(atFirst + 1))
    await lease(await eventsOf(atFirst + 1, other))
    if (attempt) await finishAttempt(sql(), attempt, answered(200))
    expect(await jobsOf(other)).toHaveLength(0)
  })

  test('is given to one of two events that come at the same moment', async () => {
    await lease(await eventsOf(atFirst - 1))
    const orders = [
      await place(sql(), partner, { callbackUrl: 'https://hooks.example/x' }),
      await place(sql(), partner, { callbackUrl: 'https://hooks.example/x' }),
    ]
    const [one, other] = await leaseCalls(
      sql(),
      orders.flatMap(({ body }) => body.items).map(({ id }) => id),
    )
    if (one === undefined || other === undefined) throw new Error('no calls are due')
    await whileHeld(
      sql(),
      (holder) => record(holder, one, completed()),
      () => record(sql(), other, completed()),
    )
    expect(await countIn('ready')).toBe(1)
    expect(await countIn('queued')).toBe(1)
  })

  test('is given once, however many end and come at the same moment', async () => {
    await sql()`update supply.delivery_slots set slots = 64 where account_id = ${partner.accountId}`
    const attempts = await lease(await eventsOf(64))
    await Promise.all([
      ...attempts.slice(0, 32).map((attempt) => finishAttempt(sql(), attempt, refused('blocked_address'))),
      ...Array.from({ length: 40 }, () => makeEvent(sql(), partner)),
      tick(),
    ])
    await tick()
    expect(await countIn('sending')).toBe(32)
    expect(await countIn('ready')).toBe(32)
    expect(await countIn('queued')).toBe(8)
  })
})

describe('an event that has a slot', () => {
  const late = (ids: string[]) =>
    sql()`update supply.events set lease_expires_at = now() - interval '1 s' where id = any(${ids})`

  test('leaves it to another where its job failed, and keeps to the back-off of the queue', async () => {
    const ids = await eventsOf(atFirst + 5)
    const failing = ids.slice(0, 6)
    await sql()`
      update graphile_worker._private_jobs
      set run_at = now() + interval '1 hour', attempts = 3, last_error = 'a bug' where payload ->> 'id' = any(${failing})`
    await late(ids.slice(0, atFirst))
    await tick()
    const jobs = await jobsOf(partner)
    expect(idsOf(jobs.filter(({ wait }) => wait > 3000))).toEqual(failing)
    expect(idsOf(jobs.filter(({ wait }) => wait <= 0))).toEqual(ids.slice(6))
    expect(await audit(sql())).toEqual([])
  })

  test('keeps it while the workers are busy, and there are no more jobs than slots', async () => {
    const ids = await eventsOf(atFirst + 5)
    await late(ids.slice(0, atFirst))
    await tick()
    expect(idsOf(await jobsOf(partner))).toEqual(ids.slice(0, atFirst))
    expect(await countIn('ready')).toBe(atFirst)
  })

  test('gets another job where its job is gone', async () => {
    const ids = await eventsOf(2)
    await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids})`
    await late(ids)
    await tick()
    expect(idsOf(await jobsOf(partner))).toEqual(ids)
    expect(await audit(sql())).toEqual([])
  })
})

describe('a rung that comes due', () => {
  async function onARung(count: number): Promise<string[]> {
    const ids = await eventsOf(count)
    await sql()`update supply.delivery_slots set slots = 64 where account_id = ${partner.accountId}`
    await tick()
    await finish(await lease(ids), answered(500))
    await sql()`update supply.delivery_slots set slots = 8 where account_id = ${partner.accountId}`
    return ids
  }
  const makeDue = async (ids: string[], ago: string) => {
    await sql()`update supply.events set next_attempt_at = now() - ${ago}::interval where id = any(${ids})`
    await sql()`update graphile_worker._private_jobs set run_at = now() where payload ->> 'id' = any(${ids})`
  }

  test('takes a slot; without one it is queued, which costs no attempt', async () => {
    const ids = await onARung(3)
    const busy = await eventsOf(atFirst - 1)
    await makeDue(ids, '0 s')
    const leased = await lease(ids)
    expect(leased.map(({ attempt }) => attempt)).toEqual([2])
    expect(await countIn('queued')).toBe(2)
    expect(idsOf(await jobsOf(partner))).toEqual(busy)
    expect(await audit(sql())).toEqual([])
  })

  test('is behind those that were due before', async () => {
    const ids = await onARung(1)
    await eventsOf(atFirst)
    const [older = ''] = await eventsOf(1)
    await sql()`update supply.events set next_attempt_at = now() - interval '30 s' where id = ${older}`
    await makeDue(ids, '10 s')
    await sql()`update supply.delivery_slots set slots = 9 where account_id = ${partner.accountId}`
    expect(await lease(ids)).toHaveLength(0)
    expect(idsOf(await jobsOf(partner))).toContain(older)
  })

  test('is queued by the regular look where no worker had one, as many at once as there are', async () => {
    const ids = await onARung(40)
    await makeDue(ids, '1 hour')
    await tick()
    expect(await jobsOf(partner)).toHaveLength(atFirst)
    expect(await countIn('queued')).toBe(40 - atFirst)
    expect(await audit(sql())).toEqual([])
  })

  test('waits for the back-off of the queue where its job failed', async () => {
    const ids = await onARung(2)
    await makeDue(ids, '1 hour')
    await sql()`update graphile_worker._private_jobs set run_at = now() + interval '1 hour', last_error = 'a bug', attempts = 1
      where payload ->> 'id' = any(${ids})`
    await tick()
    expect(await countIn('waiting')).toBe(2)
    await makeDue(ids, '1 hour')
    await lease(ids)
  })

  test('by an operator without a free slot is made when its turn comes', async () => {
    const [id = ''] = await onARung(1)
    const attempts = await lease(await eventsOf(atFirst))
    await sql()`select ops.deliver_now(${id})`
    expect(await jobsOf(partner)).toHaveLength(0)
    if (attempts[0]) await finishAttempt(sql(), attempts[0], answered(200))
    expect(idsOf(await jobsOf(partner))).toEqual([id])
    expect(await audit(sql())).toEqual([])
  })
})

describe('first attempts have workers of their own, apart from', () => {
  test('repeated ones', async () => {
    await finish(await lease(await eventsOf(1)), answered(500))
    expect((await jobsOf(partner)).map(({ task }) => task)).toEqual(['deliver_waiting'])
  })

  test('those to a receiver that did not answer recently', async () => {
    await finish(await lease(await eventsOf(1)), unreachable())
    const [id] = await eventsOf(1)
    expect((await jobsOf(partner)).find((job) => job.id === id)?.task).toBe('deliver_waiting')
  })
})
