import postgres from 'postgres'
import { afterEach, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'

const database = testDatabase()
const sql = () => database.sql
const held: postgres.Sql[] = []

afterEach(async () => {
  await Promise.all(held.splice(0).map((session) => session.end()))
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

async function register(poolId: string, key: number, alive: boolean) {
  await sql()`select work.register_pool(${poolId}, ${key})`
  if (!alive) return
  const session = postgres(database.url, { max: 1 })
  held.push(session)
  await session`select pg_advisory_lock(${key})`
}

async function sweep(): Promise<number> {
  await sql()`update supply.worker_pools set checked_at = now() - interval '5 s'`
  const [row] = await sql()`select work.sweep() as freed`
  return row?.freed
}

async function jobOf(id: string) {
  const [job] = await sql()`
    select locked_by, extract(epoch from run_at - now())::float as wait from graphile_worker.jobs where id = ${id}`
  return job ?? {}
}

test('the jobs of a process whose lock is gone are freed in the second sweep that finds it so', async () => {
  await register('pool-dead', 101, false)
  const job = await lockedJob('pool-dead')
  expect(await sweep()).toBe(0)
  expect((await jobOf(job)).locked_by).toBe('pool-dead')
  expect(await sweep()).toBe(1)
  expect((await jobOf(job)).locked_by).toBeNull()
})

test('the jobs of a living process stay its own, however often one looks', async () => {
  await register('pool-alive', 102, true)
  const job = await lockedJob('pool-alive')
  for (let n = 0; n < 4; n += 1) expect(await sweep()).toBe(0)
  expect((await jobOf(job)).locked_by).toBe('pool-alive')
})

test('a process that still holds its lock but has not beaten for a minute is dead too', async () => {
  await register('pool-hangs', 103, true)
  const job = await lockedJob('pool-hangs')
  await sql()`update supply.worker_pools set seen_at = now() - interval '61 s'`
  expect(await sweep()).toBe(1)
  expect((await jobOf(job)).locked_by).toBeNull()
})

test('a heartbeat keeps it alive', async () => {
  await register('pool-beats', 104, true)
  await sql()`update supply.worker_pools set seen_at = now() - interval '61 s'`
  await sql()`select work.heartbeat(104, '{}')`
  await lockedJob('pool-beats')
  expect(await sweep()).toBe(0)
})

test('a pool that died before it registered is dead after a minute', async () => {
  const job = await lockedJob('pool-unknown')
  expect(await sweep()).toBe(0)
  await sql()`update graphile_worker._private_jobs set locked_at = now() - interval '61 s' where id = ${job}`
  expect(await sweep()).toBe(1)
})

test('a job that was in many hands already comes back later and later', async () => {
  await register('pool-poison', 105, false)
  const young = await lockedJob('pool-poison', 1)
  const old = await lockedJob('pool-poison', 8)
  await sweep()
  expect(await sweep()).toBe(2)
  expect((await jobOf(young)).wait).toBeLessThanOrEqual(1)
  expect((await jobOf(old)).wait).toBeGreaterThan(100)
})

test('a process that ends in order leaves nothing to sweep', async () => {
  await register('pool-ends', 106, false)
  await sql()`select work.remove_pools(106)`
  expect(await sql()`select from supply.worker_pools`).toHaveLength(0)
})

test('of many dead pools so many are freed at a time as a statement has time for, each as a whole', async () => {
  const pools = Array.from({ length: 12 }, (_, n) => `pool-dead-${String(n).padStart(2, '0')}`)
  for (const [n, pool] of pools.entries()) await register(pool, 200 + n, false)
  await sql()`
    select graphile_worker.add_jobs(array_agg(row('call_supplier', json_build_object('id', gen_random_uuid()), null, now(), 1000, null, 0, null)::graphile_worker.job_spec))
    from generate_series(1, 1200)`
  await sql()`
    update graphile_worker._private_jobs set locked_by = 'pool-dead-' || lpad((id % 12)::text, 2, '0'), locked_at = now(), attempts = 1`
  expect(await sweep()).toBe(0)
  expect([await sweep(), await sweep(), await sweep(), await sweep()]).toEqual([500, 500, 200, 0])
  const [left] =
    await sql()`select count(*)::int as jobs, count(locked_by)::int as locked from graphile_worker._private_jobs`
  expect(left).toEqual({ jobs: 1200, locked: 0 })
})
