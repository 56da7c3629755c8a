import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Pool, startPool } from '../../../src/worker/queue/pools.ts'
import { testDatabase } from '../../support/database.ts'

const database = testDatabase()
const sql = () => database.sql
let pool: Pool
let done = 0

beforeAll(async () => {
  // Nobody tidies up, and the planner knows the queue as it is most of the time.
  await sql()`alter table graphile_worker._private_jobs set (autovacuum_enabled = off)`
  await sql()`vacuum analyze graphile_worker._private_jobs`
  const task = async () => {
    done += 1
  }
  pool = await startPool({
    ...{ databaseUrl: database.url, name: 'test', concurrency: 10, tasks: { noop: task } },
    ...{ log: pino({ level: 'silent' }), onPool: () => {} },
  })
})
afterAll(() => pool.runner.stop())

async function run(jobs: number): Promise<void> {
  const before = done
  await sql()`
    select from graphile_worker.add_jobs(array(
      select row('noop', '{}', null, null, 1000, null, 0, null)::graphile_worker.job_spec from generate_series(1, ${jobs}::int)))`
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

test('a fetch does not read what is left of thousands of jobs that are done', async () => {
  await run(3_000)
  // What is done stands in the index until a scan meets it that nobody may see it after: not while an older snapshot lives.
  await expect.poll(() => entriesOfAFetch(20)).toBeLessThan(500)
})

// After the test above, the pool listens.
test.each([
  ['worker:migrate', '{"migrationNumber":9999,"breaking":true}'],
  ['jobs:insert', '{"r":1,"count":1e300}'],
  ['jobs:insert', '{"count":"many"}'],
])('a pool goes on after a forged notification on %s with %s', async (channel, payload) => {
  await sql()`select pg_notify(${channel}, ${payload})`
  await run(20)
  expect(await Promise.race([pool.failed, 'it goes on'])).toBe('it goes on')
})
