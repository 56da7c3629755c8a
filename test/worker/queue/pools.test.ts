import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type JobPool, startPools } from '../../../src/worker/queue/pools.ts'
import { testDatabase } from '../../support/database.ts'

const database = testDatabase()
const sql = () => database.sql
let pool: JobPool
let other: JobPool
let done = 0

beforeAll(async () => {
  // Nobody tidies up, and the planner knows the queue as it is most of the time.
  await sql()`alter table graphile_worker._private_jobs set (autovacuum_enabled = off)`
  await sql()`vacuum analyze graphile_worker._private_jobs`
  const task = async () => {
    done += 1
  }
  const common = { databaseUrl: database.url, concurrency: 10, log: pino({ level: 'silent' }), onPool: async () => {} }
  const pools = await startPools([
    { ...common, name: 'other', tasks: { another: task } },
    { ...common, name: 'test', tasks: { noop: task } },
  ])
  ;[other, pool] = pools as [JobPool, JobPool]
})
afterAll(() => Promise.all([pool, other].map(({ runner }) => runner.stop())))

async function run(jobs: number): Promise<void> {
  const before = done
  await sql()`select core.enqueue('noop', array(select gen_random_uuid() from generate_series(1, ${jobs}::int)))`
  await expect.poll(() => done - before).toBe(jobs)
}

/** How many entries of the index one fetch reads, while so many jobs come one by one. */
async function entriesOfAFetch(jobs: number): Promise<number> {
  await sql()`select pg_stat_reset()`
  for (let n = 0; n < jobs; n += 1) await run(1)
  let reads = { scans: 0, entries: 0 }
  const read = async () => {
    const [row] = await sql()`
      select idx_scan::float8 as scans, idx_tup_read::float8 as entries
      from pg_stat_user_indexes where indexrelname = 'jobs_main_index'`
    reads = { scans: row?.scans, entries: row?.entries }
    return reads.scans
  }
  // Connections tell after a second.
  await expect.poll(read).toBeGreaterThanOrEqual(jobs / 2)
  return reads.entries / reads.scans
}

test('a fetch does not read the remains of thousands of finished jobs', async () => {
  await run(3_000)
  // What is done stands in the index until a scan meets it that nobody may see it after: not while an older snapshot lives.
  await expect.poll(() => entriesOfAFetch(20)).toBeLessThan(500)
})

// After the test above, the first pool listens.
test('only the pool that takes the task of a job fetches when that is added, although another pool listens', async () => {
  // A pool that has just run a job may not say yet that its stock is gone.
  const fetches = (each: JobPool) => vi.waitUntil(() => each.fetches(), { timeout: 20_000 })
  const before = { own: await fetches(pool), others: await fetches(other) }
  for (let n = 0; n < 40; n += 1) await run(1)
  const own = (await fetches(pool)) - before.own
  const others = (await fetches(other)) - before.others
  // Both poll, too: every 2 s.
  expect(own).toBeGreaterThanOrEqual(20)
  expect(others).toBeLessThan(own / 2)
})

test('a job without a notification is found by polling', async () => {
  const before = done
  await sql()`select graphile_worker.add_job('noop', '{}')`
  await expect.poll(() => done - before).toBe(1)
})

test.each([
  ['worker:migrate', '{"migrationNumber":9999,"breaking":true}'],
  ['jobs:insert', '{"r":1,"count":1e300}'],
  ['jobs:insert', '{"count":"many"}'],
])('a pool goes on after a forged notification on %s with %s', async (channel, payload) => {
  await sql()`select pg_notify(${channel}, ${payload})`
  await run(20)
  expect(await Promise.race([pool.failed, 'it goes on'])).toBe('it goes on')
})
