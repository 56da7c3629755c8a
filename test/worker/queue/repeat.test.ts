import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect, type Database } from '../../../src/database/client.ts'
import { createLostJobs, lostAfterMs } from '../../../src/worker/queue/pool_health.ts'
import { type Pool, startPool } from '../../../src/worker/queue/pools.ts'
import { repeatStatements } from '../../../src/worker/queue/repeat.ts'
import { testDatabase } from '../../support/database.ts'

const database = testDatabase()
const sql = () => database.sql
let db: Database
let pool: Pool
let runs: string[]
let gates: Map<string, PromiseWithResolvers<void>>

beforeAll(async () => {
  db = connect({
    ...{ url: database.url, role: 'supply_worker', max: 2, applicationName: 'test' },
    ...{ lockTimeoutMs: 2_000, statementTimeoutMs: 5_000, deadlineMs: 7_000, idleInTransactionMs: 10_000 },
  })
  // No job can be completed or failed while this table has a row: the error that this fails with.
  await sql()`create table public.forbidden (error text primary key)`
  await sql()`create function public.refuse() returns trigger language plpgsql security definer as $$
    declare forbidden text := (select f.error from public.forbidden f);
    begin
      if forbidden is not null and (tg_op = 'DELETE' or new.last_error is distinct from old.last_error) then
        raise exception 'the queue cannot be told' using errcode = forbidden;
      end if;
      return coalesce(new, old);
    end $$`
  await sql()`create trigger refuse before delete or update on graphile_worker._private_jobs
    for each row execute function public.refuse()`
})
beforeEach(async () => {
  runs = []
  gates = new Map()
  pool = await startPool({
    ...{ databaseUrl: database.url, name: 'test', concurrency: 6, log: pino({ level: 'silent' }) },
    tasks: {
      noop: async (payload) => {
        const { n } = payload as { n: string }
        runs.push(n)
        await gates.get(n)?.promise
        if (n.startsWith('bad')) throw new Error('this job fails')
      },
    },
    onPool: () => {},
  })
})
afterEach(async () => {
  await allow()
  for (const gate of gates.values()) gate.resolve()
  await pool.runner.stop().catch(() => {})
  await sql()`delete from graphile_worker._private_jobs`
})
afterAll(() => db.end())

async function add(...names: string[]): Promise<void> {
  await sql()`select graphile_worker.add_job('noop', json_build_object('n', n)) from unnest(${names}::text[]) as n`
}
const forbid = (error: string) => sql()`insert into public.forbidden values (${error})`
const allow = () => sql()`delete from public.forbidden`
const jobsLeft = async () =>
  (await sql()`select payload ->> 'n' as n from graphile_worker._private_jobs order by 1`).map(({ n }) => n)

/** Has a job end when it is told to. */
function gate(name: string): PromiseWithResolvers<void> {
  const made = Promise.withResolvers<void>()
  gates.set(name, made)
  return made
}

test('jobs are completed later where the database could not do it, and others run meanwhile', async () => {
  await forbid('57P03')
  await add('a', 'b')
  await expect.poll(() => runs.toSorted()).toEqual(['a', 'b'])
  await add('c', 'd', 'e', 'f')
  await expect.poll(() => runs).toHaveLength(6)
  expect(await jobsLeft()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  await allow()
  await expect.poll(jobsLeft).toEqual([])
  expect(runs.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  await expect.poll(() => pool.jobs.size).toBe(0)
})

test('each job runs once, and is completed, although the connections of the queue are cut again and again', async () => {
  const cut = () =>
    sql()`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'supply-ordering worker test' and datname = current_database()`
  // The answer to a fetch may be among what is cut.
  const returnLostJobs = createLostJobs(db, [pool])
  await db.call('work.register_pool', { pool_id: pool.id })
  const names = Array.from({ length: 60 }, (_, n) => `job ${n}`)
  for (let n = 0; n < names.length; n += 3) {
    const some = names.slice(n, n + 3)
    const held = some.map(gate)
    await add(...some)
    for (const { resolve } of held) resolve()
    await cut()
  }
  const left = async () => {
    await returnLostJobs()
    return jobsLeft()
  }
  await expect.poll(left, { timeout: 40_000, interval: 500 }).toEqual([])
  expect(runs.toSorted()).toEqual(names.toSorted())
}, 60_000)

test('a job that ended is not run again while the queue cannot be told so', async () => {
  const returnLostJobs = createLostJobs(db, [pool])
  await db.call('work.register_pool', { pool_id: pool.id })
  await forbid('55P03')
  await add('a', 'b')
  await expect.poll(() => runs.toSorted()).toEqual(['a', 'b'])
  const end = Date.now() + lostAfterMs + 3_000
  while (Date.now() < end) {
    expect(await returnLostJobs()).toBe(0)
    await setTimeout(500)
  }
  await allow()
  await expect.poll(jobsLeft).toEqual([])
  expect(runs).toHaveLength(2)
}, 30_000)

const names = ['a', 'b', 'bad c', 'bad d', 'e', 'f']

/** Has jobs run that are told to end one after the other, so that no two are told of together. */
async function endOneByOne(): Promise<void> {
  const held = names.map(gate)
  await add(...names)
  await expect.poll(() => runs.toSorted()).toEqual(names)
  for (const { resolve } of held.slice(0, -1)) {
    resolve()
    await setTimeout(50)
  }
}

test('a pool that may not tell the queue of its jobs says that it cannot go on, and can be stopped', async () => {
  await forbid('42501')
  await endOneByOne()
  expect(await pool.failed).toMatch('the queue cannot be told')
  const stopped = pool.runner.stop()
  await setTimeout(500)
  gates.get('f')?.resolve()
  await stopped
  expect(pool.jobs.size).toBe(names.length)
  expect(await jobsLeft()).toEqual(names)
}, 20_000)

test('a pool ends in seconds although the queue cannot be told of its jobs, and while one is under way', async () => {
  await forbid('57P03')
  await endOneByOne()
  const stopped = pool.runner.stop()
  await setTimeout(6_500)
  gates.get('f')?.resolve()
  await stopped
  expect(await jobsLeft()).toEqual(names)
}, 30_000)

describe('a statement that has an effect, and whose answer is lost', () => {
  const told: string[] = []
  let client: pg.PoolClient
  let connections: pg.Pool

  beforeAll(async () => {
    await sql()`create table public.calls (at timestamptz not null default clock_timestamp(), is_heard boolean not null)`
    await sql()`create table public.line (is_cut boolean not null)`
    await sql()`create procedure public.tell(worker text, jobs text) language plpgsql as $$
      declare is_cut boolean := (select l.is_cut from public.line l);
      begin
        insert into public.calls (is_heard) values (not is_cut);
        commit;
        if is_cut then
          perform pg_terminate_backend(pg_backend_pid());
        end if;
      end $$`
    connections = new pg.Pool({ connectionString: database.url, max: 1 })
    connections.on('error', () => {})
    const repeating = repeatStatements({
      ...{ pool: connections, log: pino({ level: 'silent' }) },
      onTold: (ids) => void told.push(...ids),
      onGivenUp: (reason) => void told.push(reason),
    })
    repeating.begin()
    client = await connections.connect()
  })
  beforeEach(async () => {
    told.length = 0
    await sql()`truncate public.calls, public.line`
    await sql()`insert into public.line values (true)`
  })
  afterAll(() => connections.end())

  const call = (name: string, values: unknown[]) =>
    client.query({ name, text: 'call public.tell($1, $2)', values })
  const calls = async () =>
    (await sql()`select is_heard from public.calls order by at`).map((row) => row.is_heard)

  test('is repeated only as long as nobody else can have the job that it unlocks', async () => {
    await call('fail_job', ['worker', JSON.stringify([{ jobId: '7' }])])
    expect((await calls()).length).toBeGreaterThan(1)
    expect(told).toEqual(['7'])
    const made = await calls()
    await setTimeout(1_500)
    expect(await calls()).toEqual(made)
  })

  test('is repeated until it is heard where it unlocks nothing', async () => {
    const answered = call('complete_job', ['7', 'worker'])
    await setTimeout(3_000)
    await sql()`update public.line set is_cut = false`
    await answered
    expect((await calls()).at(-1)).toBe(true)
    expect(told).toEqual(['7'])
  })
})
