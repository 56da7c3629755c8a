import postgres from 'postgres'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { plansByKey } from '../../src/db_lanes.ts'
import { testDatabase } from '../support/database.ts'
import { type Attempt, answered, finishAttempt, makeEvent, unreachable } from '../support/events.ts'
import { audit } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
const cap = 8
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

type Job = { id: string; task: string; wait: number; priority: number }

/** The delivery jobs of an account in the order of its events, with the seconds until each is due. */
async function jobsOf({ accountId }: Partner): Promise<Job[]> {
  return [
    ...(await sql()<Job[]>`
      select e.event_id as id, j.task_identifier as task, extract(epoch from j.run_at - now())::float as wait, j.priority
      from ops.events e join graphile_worker.jobs j on j.key = 'deliver_webhook:' || e.event_id
      where e.account_id = ${accountId} order by e.created_at`),
  ]
}

function expectInLine({ wait, priority }: Job): void {
  expect(wait).toBeGreaterThan(3600)
  expect(priority).toBe(1)
}

const due = (jobs: Job[]) => jobs.filter(({ wait }) => wait <= 0)

/** Claims the attempts of these events as a worker would that has their jobs, which are done then. */
async function claim(ids: string[]): Promise<Attempt[]> {
  await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids})`
  return [...(await sql()<Attempt[]>`select * from work.begin_deliveries(${ids}) order by ordinal`)]
}

describe('the events of one account', () => {
  test('are due at once, up to eight; the surplus stands in line behind everyone else', async () => {
    await makeEvents(20)
    const jobs = await jobsOf(partner)
    expect(jobs).toHaveLength(20)
    for (const { wait, priority } of jobs.slice(0, cap)) {
      expect(wait).toBeLessThanOrEqual(0)
      expect(priority).toBe(0)
    }
    for (const job of jobs.slice(cap)) expectInLine(job)
    expect(await audit(sql())).toEqual([])
  })

  test('do not make another account stand in line', async () => {
    await makeEvents(20)
    const other = await makePartner(sql())
    await makeEvents(3, other)
    expect((await jobsOf(other)).map(({ priority }) => priority)).toEqual([0, 0, 0])
  })

  test('that wait for a later rung leave the places to those that are due', async () => {
    const ids = await makeEvents(cap)
    await sql()`update supply.events set next_attempt_at = now() + interval '1 hour' where id = any(${ids})`
    const [next] = await makeEvents(1)
    expect((await jobsOf(partner)).find(({ id }) => id === next)?.priority).toBe(0)
  })

  test('that an operator redelivers all at once stand in line too', async () => {
    const ids = await makeEvents(40)
    await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids})`
    await sql()`update supply.events set state = 'dead', next_attempt_at = null, dead_at = now(), dead_reason = 'http_4xx'
      where id = any(${ids})`
    const [row] = await sql()`select ops.redeliver_all(${partner.accountId}, '-infinity', false)::int as n`
    expect(row?.n).toBe(40)
    expect(due(await jobsOf(partner))).toHaveLength(cap)
  })
})

describe('an account without room', () => {
  test('has its due events stand in line, which costs no attempt', async () => {
    const ids = await makeEvents(cap + 3)
    expect(await claim(ids)).toHaveLength(cap)
    const jobs = await jobsOf(partner)
    expect(jobs).toHaveLength(3)
    for (const job of jobs) expectInLine(job)
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

  test('calls the next ones at the regular look where the end of an attempt could not, for its worker died', async () => {
    const attempts = await claim(await makeEvents(cap + 5))
    const look = () => sql()`select work.call_lines()`
    await look()
    expect(due(await jobsOf(partner))).toHaveLength(0)
    const lost = attempts.slice(0, 3).map(({ event_id }) => event_id)
    await sql()`update supply.events set claim_expires_at = now() - interval '1 s' where id = any(${lost})`
    await look()
    expect(due(await jobsOf(partner))).toHaveLength(3)
    await look()
    expect(due(await jobsOf(partner))).toHaveLength(3)
    await claim(lost)
  })

  test('leaves jobs that failed to the back-off of the queue, and has the line pass them by', async () => {
    const failing = (await makeEvents(40)).slice(0, 35)
    await sql()`
      update graphile_worker._private_jobs
      set run_at = now() + interval '1 hour', priority = 0, attempts = 3, last_error = 'a bug'
      where payload ->> 'id' = any(${failing})`
    await sql()`select work.call_lines()`
    const jobs = await jobsOf(partner)
    expect(due(jobs)).toHaveLength(5)
    for (const { id, wait } of jobs) if (failing.includes(id)) expect(wait).toBeGreaterThan(3000)
  })

  test('has a crowd of due events stand in line before any worker looks at them', async () => {
    const ids = await makeEvents(40)
    await sql()`update graphile_worker._private_jobs set run_at = now() where payload ->> 'id' = any(${ids})`
    const other = await makePartner(sql())
    await makeEvents(2, other)
    await claim(ids.slice(0, cap))
    await claim(ids.slice(cap, 2 * cap - 1))
    expect(due(await jobsOf(partner))).toHaveLength(40 - 2 * cap + 1)
    await claim(ids.slice(2 * cap - 1, 3 * cap - 1))
    const jobs = await jobsOf(partner)
    expect(jobs).toHaveLength(40 - cap)
    for (const job of jobs) expectInLine(job)
    expect(due(await jobsOf(other))).toHaveLength(2)
    expect(await audit(sql())).toEqual([])
  })

  test('reads each event of a crowd once or twice, by a plan that was made while nobody waited', async () => {
    await sql()`update supply.events set state = 'dead', dead_at = now(), dead_reason = 'http_4xx', next_attempt_at = null
      where state = 'waiting'`
    await sql()`vacuum analyze supply.events`
    const session = postgres(database.url, { max: 1, connection: plansByKey })
    const standBack = (on: postgres.Sql | postgres.TransactionSql) =>
      on`select core.stand_back(array_fill(${partner.accountId}::bigint, array[${cap}::int]))`
    for (let n = 0; n < 8; n += 1) await standBack(session)
    await sql()`
      with ordered as (
        insert into supply.orders (code, account_id, idempotency_key, external_order_id, callback_url, request_items, status,
          outcome, total_amount, currency, payment_code, completed_at)
        select 'crowd_' || n, ${partner.accountId}, n, n, 'https://x.example', '[]', 'completed', 'full', 1, 'RUB', 'crowd_' || n, now()
        from generate_series(1, 1000) n returning id, code)
      insert into supply.events (account_id, order_id, order_code, event_type, callback_url, body, state, next_attempt_at,
        dead_at, dead_reason)
      select ${partner.accountId}, id, code, 'order.completed', 'https://x.example', '{}', 'dead', null, now(), 'http_4xx' from ordered`
    await sql()`select ops.redeliver_all(${partner.accountId}, '-infinity', false)`
    await sql()`update graphile_worker._private_jobs set run_at = now()
      where key in (select 'deliver_webhook:' || event_id from ops.events where account_id = ${partner.accountId})`
    const [row] = await session.begin(async (tx) => {
      await standBack(tx)
      return tx`select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'events'`
    })
    await session.end()
    expect(due(await jobsOf(partner))).toHaveLength(0)
    expect(Number(row?.read)).toBeLessThanOrEqual(2000)
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

test('a repeated attempt has other workers than first ones', async () => {
  const [attempt] = await claim(await makeEvents(1))
  if (attempt === undefined) throw new Error('nothing was claimed')
  await finishAttempt(sql(), attempt, answered(500))
  expect((await jobsOf(partner)).map(({ task }) => task)).toEqual(['deliver_waiting'])
})
