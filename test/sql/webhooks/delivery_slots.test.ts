import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  answered,
  beginDeliveries,
  finishAttempt,
  finishAttempts,
  makeEvent,
  makeEvents,
  refused,
  unreachable,
} from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { makePartner } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { sql, partner, newEvent, newEvents, attemptsOf, loseJobs } = itemTests({ balance: 10_000, audited: true })
const atFirst = 8

type Job = { id: string; task: string; wait: number }

/** The delivery jobs of the partner in the order of its events, with the seconds until each is due. */
async function jobsOf(): Promise<Job[]> {
  return [
    ...(await sql()<Job[]>`
      select e.id, j.task, extract(epoch from j.run_at - now())::float as wait
      from supply.events e join core.jobs j on j.subject = e.id
      where e.account_id = ${partner().accountId} order by e.created_at, e.id`),
  ]
}

const idsOf = (jobs: { id: string }[]) => jobs.map(({ id }) => id)

const countIn = (state: string) =>
  oneValue(
    sql()`select count(*)::int from supply.events where account_id = ${partner().accountId} and state = ${state}`,
  )

const slots = () => oneValue(sql()`select slots from supply.delivery_slots where account_id = ${partner().accountId}`)

const slowHosts = () =>
  oneValue(sql()`select slow_hosts from supply.delivery_slots where account_id = ${partner().accountId}`)

const setSlots = (count: number) =>
  sql()`update supply.delivery_slots set slots = ${count} where account_id = ${partner().accountId}`

/** Leases the attempts of these events as a worker would that has their jobs, which are done then. */
async function lease(ids: string[]): Promise<Attempt[]> {
  await loseJobs(...ids)
  return beginDeliveries(sql(), ids)
}

const finish = (attempts: Attempt[], result: object) => finishAttempts(sql(), attempts, result)
const tick = () => sql()`select work.fill_slots()`
const endLeases = (ids: string[]) =>
  sql()`update supply.events set lease_expires_at = now() - interval '1 s' where id = any(${ids})`
const failJobs = (ids: string[]) => sql()`
  update graphile_worker._private_jobs set run_at = now() + interval '1 hour', attempts = 3, last_error = 'a bug'
  where payload ->> 'id' = any(${ids})`

describe('large events of one account', () => {
  test('are under way as far as there is room for their bodies, and the others follow', async () => {
    const ids = await newEvents(4)
    await loseJobs(...ids)
    await sql()`
      update supply.events set body = repeat('x', 300000), state = 'queued', lease_expires_at = null
      where id = any (${ids})`
    await tick()
    expect(idsOf(await jobsOf())).toEqual(ids.slice(0, 2))
    expect(await countIn('queued')).toBe(2)
    const attempts = await lease(ids.slice(0, 2))
    await finish(attempts.slice(0, 1), answered(200))
    expect(idsOf(await jobsOf())).toEqual(ids.slice(2, 3))
    expect(await lease(ids.slice(2))).toHaveLength(1)
    expect(await countIn('queued')).toBe(1)
  })
})

describe('large events of several accounts', () => {
  test('are leased as far as the worker has room for their bodies, the others soon, and small ones at once', async () => {
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) ids.push(await newEvent(await makePartner(sql(), { balance: 100 })))
    const small = await newEvent(await makePartner(sql(), { balance: 100 }))
    await sql()`update supply.events set body = repeat('x', 300000) where id = any (${ids})`
    const begin = async (room: number, of = [...ids, small]) => {
      await loseJobs(...of)
      return beginDeliveries(sql(), of, room)
    }
    const first = await begin(300_001)
    expect(first.map(({ event_id }) => event_id)).toEqual([ids[0], ids[1], small])
    expect(
      await sql()`select subject, task, run_at < now() + interval '1 s' as is_soon from core.jobs where subject = any (${ids})`,
    ).toEqual([{ subject: ids[2], task: 'deliver_waiting', is_soon: true }])
    expect(await begin(0, ids.slice(2))).toEqual([])
    const last = await begin(1, ids.slice(2))
    expect(last).toHaveLength(1)
    await finish([...first, ...last], answered(200))
  })

  test('are no direct first attempts', async () => {
    const [id = ''] = await newEvents(1)
    await loseJobs(id)
    const lease = async (bytes: number) => {
      await sql()`
        update supply.events set body = repeat('x', ${bytes}), state = 'queued', lease_expires_at = null where id = ${id}`
      return oneValue<string[]>(sql()`
        select core.fill_slots(core.lock_briefly('delivery_slots', array[${partner().accountId}]::bigint[]), to_send => 1, pool_id => 'pool')`)
    }
    await sql()`
      insert into supply.webhook_secrets (account_id, secret) values (${partner().accountId}, ${'0'.repeat(64)})
      on conflict do nothing`
    expect(await lease(65_537)).toEqual([])
    await loseJobs(id)
    expect(await lease(65_536)).toEqual([id])
  })
})

describe('the due events of one account', () => {
  test('have a slot and a job each, up to eight; the others are queued, without a job and an attempt', async () => {
    const ids = await newEvents(20)
    const jobs = await jobsOf()
    expect(idsOf(jobs)).toEqual(ids.slice(0, atFirst))
    expect(jobs.every(({ wait, task }) => wait <= 0 && task === 'deliver_webhook')).toBe(true)
    expect(await lease(ids)).toHaveLength(atFirst)
    expect(await jobsOf()).toEqual([])
    expect(
      await sql()`select state, queued, attempts, count(*)::int from ops.events where account_id = ${partner().accountId}
        group by 1, 2, 3 order by 2`,
    ).toEqual([
      { state: 'sending', queued: false, attempts: 1, count: 8 },
      { state: 'waiting', queued: true, attempts: 0, count: 12 },
    ])
  })

  test('get the slots of events that wait for a later rung', async () => {
    await finish(await lease(await newEvents(atFirst)), answered(500))
    expect(await countIn('waiting')).toBe(atFirst)
    await setSlots(atFirst)
    await newEvents(atFirst)
    expect(await countIn('ready')).toBe(atFirst)
  })

  test('are queued, too, when an operator redelivers them all at once', async () => {
    const ids = await newEvents(40)
    await loseJobs(...ids)
    await sql()`update supply.events
      set state = 'dead', next_attempt_at = null, lease_expires_at = null, dead_at = now(), dead_reason = 'http_4xx'
      where id = any(${ids})`
    expect(await oneValue(sql()`select ops.redeliver_all(${partner().accountId}, '-infinity', false)::int`)).toBe(40)
    expect(await jobsOf()).toHaveLength(atFirst)
  })
})

describe('the number of slots', () => {
  test('grows by one with each attempt that is answered quickly, whatever the answer, up to 64', async () => {
    let expected = atFirst
    for (const status of [200, 500, 404, 204]) {
      await finish(await lease(await newEvents(expected)), answered(status))
      expected = Math.min(64, 2 * expected)
      expect(await slots()).toBe(expected)
    }
  })

  test('of a host is halved with each time-out or failed connection, down to 2; then that of the account falls', async () => {
    await setSlots(20)
    const attempts = await lease(await newEvents(7))
    for (const [index, [host, account]] of [
      [10, 20],
      [5, 20],
      [2, 20],
      [2, 19],
      [2, 18],
      [2, 17],
    ].entries()) {
      await finish(attempts.slice(index, index + 1), unreachable())
      expect(await slowHosts()).toEqual({ 'hooks.example': host })
      expect(await slots()).toBe(account)
    }
  })

  test('of a slow host grows with its quick answers, until it has as many as the account', async () => {
    await finish(await lease(await newEvents(2)), unreachable())
    for (const expected of [{ 'hooks.example': 4 }, { 'hooks.example': 7 }, {}]) {
      await finish(await lease(await newEvents(3)), answered(200))
      expect(await slowHosts()).toEqual(expected)
    }
  })

  test('is halved as often by many time-outs at the same moment', async () => {
    await setSlots(64)
    await finish(await lease(await newEvents(64)), unreachable('timed out'))
    expect(await slowHosts()).toEqual({ 'hooks.example': 2 })
  })

  test('stays as it is after a slow answer, a blocked address, a lost attempt and a late result', async () => {
    const [slow, blocked, lost] = (await lease(await newEvents(3))) as [Attempt, Attempt, Attempt]
    await sql()`update supply.delivery_attempts set started_at = now() - interval '3 s' where lease_token = ${slow.lease_token}`
    await finishAttempt(sql(), slow, answered(200))
    await finishAttempt(sql(), blocked, refused('blocked_address'))
    await endLeases([lost.event_id])
    await lease([lost.event_id])
    expect(await finishAttempt(sql(), lost, unreachable())).toBe('stale')
    expect(await slots()).toBe(atFirst)
  })
})

test('a host that hangs takes no slots from the other receivers of its account', async () => {
  const hanging = await newEvents(30)
  await finish(await lease(hanging.slice(0, atFirst)), unreachable('timed out'))
  const others = await makeEvents(sql(), partner(), 20, 'https://fast.example/x')
  const taken = async () =>
    sql()`select host, count(*)::int as n from core.taken_slots where account_id = ${partner().accountId} group by 1 order by 1`
  expect(await taken()).toEqual([
    { host: 'fast.example', n: 6 },
    { host: 'hooks.example', n: 2 },
  ])
  await finish(await lease(others.slice(0, 6)), answered(200))
  expect(await taken()).toEqual([
    { host: 'fast.example', n: 12 },
    { host: 'hooks.example', n: 2 },
  ])
})

describe('a free slot', () => {
  test.each([
    ['was delivered', answered(200), 2],
    ['has to be repeated', answered(503), 2],
    ['was refused for good', answered(410), 2],
    ['went to an address that is not allowed', refused('blocked_address'), 1],
  ])('goes to the oldest queued event after an attempt that %s', async (_, result, given) => {
    const ids = await newEvents(atFirst + 3)
    await finish((await lease(ids)).slice(0, 1), result)
    const due = (await jobsOf()).filter(({ wait }) => wait <= 0)
    expect(idsOf(due)).toEqual(ids.slice(atFirst, atFirst + given))
    expect(await lease(idsOf(due))).toHaveLength(given)
  })

  test('goes to no event while a time-out has halved the number of slots', async () => {
    const attempts = await lease(await newEvents(atFirst + 3))
    await finish(attempts.slice(0, 4), unreachable())
    expect(await countIn('ready')).toBe(0)
    await finish(attempts.slice(4, 7), refused('blocked_address'))
    expect(await countIn('ready')).toBe(1)
  })

  test('of a lost attempt goes to the next event with the job of the lost one', async () => {
    const ids = await newEvents(atFirst + 2)
    const [{ event_id: lost } = { event_id: '' }] = await lease(ids)
    await endLeases([lost])
    expect(await lease([lost])).toHaveLength(0)
    expect(await attemptsOf(lost)).toMatchObject([{ outcome: 'lost' }])
    expect(await countIn('ready')).toBe(1)
  })

  test('is left to the next sweep while another session holds the slots of the account', async () => {
    const attempts = await lease(await newEvents(atFirst + 3))
    await sql().begin(async (other) => {
      await other`select from supply.delivery_slots where account_id = ${partner().accountId} for update`
      expect(await finish(attempts.slice(0, 1), answered(200))).toEqual(['delivered'])
      await tick()
      expect(await countIn('ready')).toBe(0)
    })
    await tick()
    expect(await countIn('ready')).toBe(1)
  })

  test('is given once, however many attempts end and events are made at the same moment', async () => {
    await setSlots(64)
    const attempts = await lease(await newEvents(64))
    await Promise.all([
      ...attempts.slice(0, 32).map((attempt) => finishAttempt(sql(), attempt, refused('blocked_address'))),
      ...Array.from({ length: 40 }, () => makeEvent(sql(), partner())),
      tick(),
    ])
    await tick()
    expect([await countIn('sending'), await countIn('ready'), await countIn('queued')]).toEqual([32, 32, 8])
  })
})

describe('an event that has a slot', () => {
  test('gives it to another event when its job failed, and waits for the back-off of the queue', async () => {
    const ids = await newEvents(atFirst + 5)
    await failJobs(ids.slice(0, 6))
    await endLeases(ids.slice(0, atFirst))
    await tick()
    const jobs = await jobsOf()
    expect(idsOf(jobs.filter(({ wait }) => wait > 3000))).toEqual(ids.slice(0, 6))
    expect(idsOf(jobs.filter(({ wait }) => wait <= 0))).toEqual(ids.slice(6))
  })

  test('keeps it while the workers are busy: there are no more jobs than slots', async () => {
    const ids = await newEvents(atFirst + 5)
    await endLeases(ids.slice(0, atFirst))
    await tick()
    expect(idsOf(await jobsOf())).toEqual(ids.slice(0, atFirst))
    expect(await countIn('ready')).toBe(atFirst)
  })

  test('gets another job when its job is lost', async () => {
    const ids = await newEvents(2)
    await loseJobs(...ids)
    await endLeases(ids)
    await tick()
    expect(idsOf(await jobsOf())).toEqual(ids)
  })
})

describe('an event whose next rung is due', () => {
  async function onARung(count: number): Promise<string[]> {
    const ids = await newEvents(count)
    await setSlots(64)
    await tick()
    await finish(await lease(ids), answered(500))
    await setSlots(atFirst)
    return ids
  }
  const makeDue = async (ids: string[], ago: string) => {
    await sql()`update supply.events set next_attempt_at = now() - ${ago}::interval where id = any(${ids})`
    await sql()`update graphile_worker._private_jobs set run_at = now() where payload ->> 'id' = any(${ids})`
  }

  test('takes a slot; without a free one it is queued, which costs no attempt', async () => {
    const ids = await onARung(3)
    const busy = await newEvents(atFirst - 1)
    await makeDue(ids, '0 s')
    expect(await lease(ids)).toMatchObject([{ attempt: 2 }])
    expect(await countIn('queued')).toBe(2)
    expect(idsOf(await jobsOf())).toEqual(busy)
  })

  test('is sent after those that were due before', async () => {
    const ids = await onARung(1)
    await newEvents(atFirst)
    const [older = ''] = await newEvents(1)
    await sql()`update supply.events set next_attempt_at = now() - interval '30 s' where id = ${older}`
    await makeDue(ids, '10 s')
    await setSlots(atFirst + 1)
    expect(await lease(ids)).toHaveLength(0)
    expect(idsOf(await jobsOf())).toContain(older)
  })

  test('is queued by the periodic sweep when no worker took its job', async () => {
    await makeDue(await onARung(40), '1 hour')
    await tick()
    expect(await jobsOf()).toHaveLength(atFirst)
    expect(await countIn('queued')).toBe(40 - atFirst)
  })

  test('waits for the back-off of the queue when its job failed', async () => {
    const ids = await onARung(2)
    await makeDue(ids, '1 hour')
    await failJobs(ids)
    await tick()
    expect(await countIn('waiting')).toBe(2)
    await makeDue(ids, '1 hour')
    await lease(ids)
  })

  test('is queued when an operator asks for its delivery now and no slot is free', async () => {
    const [id = ''] = await onARung(1)
    const attempts = await lease(await newEvents(atFirst))
    await sql()`select ops.deliver_now(${id})`
    expect(await jobsOf()).toHaveLength(0)
    await finish(attempts.slice(0, 1), answered(200))
    expect(idsOf(await jobsOf())).toEqual([id])
  })
})
