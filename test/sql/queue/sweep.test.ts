import { afterEach, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'

const database = testDatabase()
const sql = () => database.sql

afterEach(async () => {
  await sql()`truncate graphile_worker._private_jobs`
  await sql()`delete from supply.worker_pools`
})

/** A job that a pool has locked, on its given attempt. */
async function lockedJob(poolId: string, attempts = 1): Promise<string> {
  const [job] = await sql()`select id from graphile_worker.add_job('call_supplier', '{"id":"x"}')`
  await sql()`update graphile_worker._private_jobs
    set locked_by = ${poolId}, locked_at = now(), attempts = ${attempts} where id = ${job?.id}`
  return job?.id
}

/** Registers a pool whose last heartbeat is so many seconds old. */
async function register(poolId: string, age: number) {
  await sql()`select work.register_pool(${poolId})`
  await sql()`update supply.worker_pools set seen_at = now() - ${age} * interval '1 s' where pool_id = ${poolId}`
}

async function sweep(): Promise<number> {
  const [row] = await sql()`select work.sweep() as freed`
  return row?.freed
}

async function jobOf(id: string) {
  const [job] = await sql()`
    select locked_by, extract(epoch from run_at - now())::float as wait from graphile_worker.jobs where id = ${id}`
  return job ?? {}
}

test('a sweep frees the jobs of a process whose heartbeat is 10 s old', async () => {
  await register('pool-dead', 11)
  const job = await lockedJob('pool-dead')
  expect(await sweep()).toBe(1)
  expect((await jobOf(job)).locked_by).toBeNull()
})

test('a sweep leaves the jobs of a process whose heartbeat is younger than 10 s', async () => {
  await register('pool-alive', 8)
  const job = await lockedJob('pool-alive')
  expect(await sweep()).toBe(0)
  expect((await jobOf(job)).locked_by).toBe('pool-alive')
})

test('a heartbeat keeps the jobs of its process from the sweep', async () => {
  await register('pool-beats', 11)
  await sql()`select work.heartbeat('{pool-beats}')`
  await lockedJob('pool-beats')
  expect(await sweep()).toBe(0)
})

test('a session that holds every advisory lock of the database stops no periodic task', async () => {
  await register('pool-dead', 11)
  await lockedJob('pool-dead')
  const names = ['sweep', 'run_audit', 'fill_slots', 'number_results', 'resume_forgotten', 'close_alerts']
  const freed = await sql().begin(async (operator) => {
    for (const name of [...names, 'check_suppliers'])
      await operator`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
    return await sweep()
  })
  expect(freed).toBe(1)
})

test('a pool that died before it registered is dead after a minute', async () => {
  const job = await lockedJob('pool-unknown')
  expect(await sweep()).toBe(0)
  await sql()`update graphile_worker._private_jobs set locked_at = now() - interval '61 s' where id = ${job}`
  expect(await sweep()).toBe(1)
})

test('a job that was in many hands already comes back later and later', async () => {
  await register('pool-poison', 11)
  const young = await lockedJob('pool-poison', 1)
  const old = await lockedJob('pool-poison', 8)
  expect(await sweep()).toBe(2)
  expect((await jobOf(young)).wait).toBeLessThanOrEqual(1)
  expect((await jobOf(old)).wait).toBeGreaterThan(100)
})

test('a process that ends in order leaves nothing to sweep', async () => {
  await register('pool-ends', 0)
  await sql()`select work.remove_pools('{pool-ends}')`
  expect(await sql()`select from supply.worker_pools`).toHaveLength(0)
})

test('of many dead pools so many are freed at a time as a statement has time for, each as a whole', async () => {
  const pools = Array.from({ length: 12 }, (_, n) => `pool-dead-${String(n).padStart(2, '0')}`)
  for (const pool of pools) await register(pool, 11)
  await sql()`
    select graphile_worker.add_jobs(array_agg(row('call_supplier', json_build_object('id', gen_random_uuid()), null, now(), 1000, null, 0, null)::graphile_worker.job_spec))
    from generate_series(1, 1200)`
  await sql()`
    update graphile_worker._private_jobs set locked_by = 'pool-dead-' || lpad((id % 12)::text, 2, '0'), locked_at = now(), attempts = 1`
  expect([await sweep(), await sweep(), await sweep(), await sweep()]).toEqual([500, 500, 200, 0])
  const [left] =
    await sql()`select count(*)::int as jobs, count(locked_by)::int as locked from graphile_worker._private_jobs`
  expect(left).toEqual({ jobs: 1200, locked: 0 })
})
