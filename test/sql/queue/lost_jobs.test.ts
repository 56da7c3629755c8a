import { beforeEach, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { audit } from '../../support/orders.ts'

// Jobs that a pool has locked, whose process lives and does not know of them: the answer to the fetch was lost.
const { sql, newItem } = itemTests()

beforeEach(() => sql()`select work.heartbeat(array['pool-1', 'pool-2'], 0)`)

/** Has a pool lock the job of a new item for so many seconds; gives the job's number. */
async function lockedJob(pool: string, seconds: number): Promise<string> {
  const [job] = await sql()`
    update graphile_worker._private_jobs
    set locked_by = ${pool}, locked_at = now() - ${seconds} * interval '1 s', attempts = attempts + 1
    where payload ->> 'id' = ${await newItem()} returning id`
  return job?.id
}

const compare = async (known: string[], lost: { job_id: string; locked_at: string }[] = []) => [
  ...(await sql()<{ job_id: string; locked_at: string }[]>`
    select * from work.compare_jobs('{pool-1}', ${known}::bigint[],
      ${lost.map(({ job_id }) => job_id)}::bigint[], ${lost.map(({ locked_at }) => locked_at)}::text[]::timestamptz[])`),
]

const jobOf = async (id: string) => {
  const [job] = await sql()`
    select locked_by, attempts, is_available from graphile_worker._private_jobs where id = ${id}`
  return job
}

const found = async () => (await audit(sql())) as { check_name: string; detail: string }[]

test('a process learns which jobs of its own pools it does not know', async () => {
  const known = await lockedJob('pool-1', 100)
  const lost = await lockedJob('pool-1', 100)
  await lockedJob('pool-2', 100)
  expect(await compare([known])).toEqual([{ job_id: lost, locked_at: expect.any(String) }])
  expect(await compare([known, lost])).toEqual([])
})

test('the audit reports a lost job until it is given back, but not a call whose end a crash of the server lost', async () => {
  const lost = await lockedJob('pool-1', 91)
  const young = await lockedJob('pool-1', 60)
  expect(await found()).toEqual([])
  await compare([])
  const rows = await found()
  expect(rows.map(({ check_name }) => check_name)).toContain('locked_job_is_known_to_its_worker')
  expect(rows.map(({ detail }) => detail).join()).toContain(`job ${lost} `)
  expect(rows.map(({ detail }) => detail).join()).not.toContain(`job ${young} `)
  const unknown = await compare([])
  await compare([], unknown)
  expect(await found()).toEqual([])
})

test('a lost job is given back as if no worker had taken it', async () => {
  const lost = await lockedJob('pool-1', 20)
  const unknown = (await compare([])).filter(({ job_id }) => job_id === lost)
  expect(await compare([], unknown)).not.toContainEqual(unknown[0])
  expect(await jobOf(lost)).toEqual({ locked_by: null, attempts: 0, is_available: true })
})

test('a job that a worker has taken again stays locked', async () => {
  const again = await lockedJob('pool-1', 20)
  const unknown = (await compare([])).filter(({ job_id }) => job_id === again)
  await sql()`update graphile_worker._private_jobs set locked_at = now(), attempts = 2 where id = ${again}`
  await compare([again], unknown)
  expect(await jobOf(again)).toEqual({ locked_by: 'pool-1', attempts: 2, is_available: false })
})

test('the audit reports no lost job of a process that hangs', async () => {
  await lockedJob('pool-1', 91)
  await compare([])
  const checks = async () => (await found()).map(({ check_name }) => check_name)
  expect(await checks()).toContain('locked_job_is_known_to_its_worker')
  await sql()`update supply.worker_pools set seen_at = now() - interval '20 s'`
  expect(await checks()).not.toContain('locked_job_is_known_to_its_worker')
})
