import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { type Attempt, answered, finishAttempt, makeEvent, unreachable } from '../support/events.ts'
import { audit } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
const cap = 4
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql())
})

async function makeEvents(count: number, of = partner): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push(await makeEvent(sql(), of))
  return ids
}

type Job = { id: string; wait: number; priority: number }

/** The delivery jobs of an account in the order of its events, with the seconds until each is due. */
async function jobsOf({ accountId }: Partner): Promise<Job[]> {
  return [
    ...(await sql()<Job[]>`
      select e.event_id as id, extract(epoch from j.run_at - now())::float as wait, j.priority
      from ops.events e join graphile_worker.jobs j on j.key = 'deliver_webhook:' || e.event_id
      where e.account_id = ${accountId} order by e.created_at`),
  ]
}

const due = (jobs: Job[]) => jobs.filter(({ wait }) => wait <= 0)

/** Claims the attempts of these events as a worker would that has their jobs, which are done then. */
async function claim(ids: string[]): Promise<Attempt[]> {
  await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids})`
  return [...(await sql()<Attempt[]>`select * from work.begin_deliveries(${ids}, ${cap}) order by ordinal`)]
}

describe('the events of one account', () => {
  test('are due at once, up to sixteen; the surplus stands in line behind everyone else', async () => {
    await makeEvents(20)
    const jobs = await jobsOf(partner)
    expect(jobs).toHaveLength(20)
    for (const { wait, priority } of jobs.slice(0, 16)) {
      expect(wait).toBeLessThanOrEqual(0)
      expect(priority).toBe(0)
    }
    for (const { wait, priority } of jobs.slice(16)) {
      expect(wait).toBeGreaterThan(10)
      expect(priority).toBe(1)
    }
    expect(await audit(sql())).toEqual([])
  })

  test('do not make another account stand in line', async () => {
    await makeEvents(20)
    const other = await makePartner(sql())
    await makeEvents(3, other)
    expect((await jobsOf(other)).map(({ priority }) => priority)).toEqual([0, 0, 0])
  })

  test('that wait for a later rung leave the places to those that are due', async () => {
    const ids = await makeEvents(16)
    await sql()`update supply.events set next_attempt_at = now() + interval '1 hour' where id = any(${ids})`
    const [next] = await makeEvents(1)
    expect((await jobsOf(partner)).find(({ id }) => id === next)?.priority).toBe(0)
  })

  test('that an operator redelivers all at once stand in line too, spread over time', async () => {
    const ids = await makeEvents(40)
    await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids})`
    await sql()`update supply.events set state = 'dead', next_attempt_at = null, dead_at = now(), dead_reason = 'http_4xx'
      where id = any(${ids})`
    const [row] = await sql()`select ops.redeliver_all(${partner.accountId}, '-infinity', false)::int as n`
    expect(row?.n).toBe(40)
    const jobs = await jobsOf(partner)
    expect(due(jobs)).toHaveLength(16)
    expect(new Set(jobs.map(({ wait }) => Math.round(wait))).size).toBeGreaterThan(5)
    expect(Math.max(...jobs.map(({ wait }) => wait))).toBeLessThan(1.5 * (30 + 40 * 0.25))
  })
})

describe('an account without room', () => {
  test('has its due events stand in line, which costs no attempt', async () => {
    const ids = await makeEvents(cap + 3)
    expect(await claim(ids)).toHaveLength(cap)
    const jobs = await jobsOf(partner)
    expect(jobs).toHaveLength(3)
    for (const { wait, priority } of jobs) {
      expect(wait).toBeGreaterThan(10)
      expect(priority).toBe(1)
    }
    expect(
      await sql()`select sum(attempts)::int as n from ops.events where account_id = ${partner.accountId}`,
    ).toEqual([{ n: cap }])
  })

  test.each([
    ['was delivered', answered(200)],
    ['has to be repeated', unreachable()],
    ['was refused for good', answered(410)],
  ])('calls the oldest in line when an attempt ended that %s', async (_, result) => {
    const ids = await makeEvents(cap + 3)
    const [attempt] = await claim(ids)
    const waiting = await jobsOf(partner)
    if (attempt === undefined) throw new Error('nothing was claimed')
    await finishAttempt(sql(), attempt, result)
    const called = due(await jobsOf(partner))
    expect(called.map(({ id }) => id)).toEqual([waiting[0]?.id])
    expect(await claim(called.map(({ id }) => id))).toHaveLength(1)
    expect(await audit(sql())).toEqual([])
  })

  test('calls as many as attempts ended, and nobody twice', async () => {
    const attempts = await claim(await makeEvents(cap + 5))
    for (const attempt of attempts.slice(0, 3)) await finishAttempt(sql(), attempt, answered(200))
    expect(due(await jobsOf(partner))).toHaveLength(3)
  })

  test('calls the next one, too, when an attempt was lost', async () => {
    const ids = await makeEvents(cap + 2)
    const [lost] = await claim(ids)
    await sql()`update supply.events set claim_expires_at = now() - interval '1 s' where id = ${lost?.event_id ?? ''}`
    expect(await claim([lost?.event_id ?? ''])).toHaveLength(0)
    expect(due(await jobsOf(partner))).toHaveLength(1)
  })

  test('calls nobody of another account', async () => {
    const other = await makePartner(sql())
    const [attempt] = await claim(await makeEvents(cap + 1))
    await claim(await makeEvents(cap + 1, other))
    if (attempt === undefined) throw new Error('nothing was claimed')
    await finishAttempt(sql(), attempt, answered(200))
    expect(due(await jobsOf(other))).toHaveLength(0)
  })
})

test('a repeated attempt stands behind first ones', async () => {
  const [attempt] = await claim(await makeEvents(1))
  if (attempt === undefined) throw new Error('nothing was claimed')
  await finishAttempt(sql(), attempt, answered(500))
  expect((await jobsOf(partner)).map(({ priority }) => priority)).toEqual([1])
})
