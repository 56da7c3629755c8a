import pino from 'pino'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type JobPool, startPools } from '../../../src/worker/queue/pools.ts'
import { testDatabase } from '../../support/database.ts'

const database = testDatabase()
const sql = () => database.sql
let pool: JobPool
let runs: string[]
let held: PromiseWithResolvers<void>

beforeAll(async () => {
  // No job can be completed or failed while this table has a row: the error that this fails with.
  await sql()`create table public.forbidden (error text primary key)`
  await sql()`create function public.refuse() returns trigger language plpgsql security definer as $$
    declare forbidden text := (select f.error from public.forbidden f);
    begin
      if forbidden is not null and (tg_op = 'DELETE' or new.last_error is distinct from old.last_error) then
        raise exception 'the end of a job is refused' using errcode = forbidden;
      end if;
      return coalesce(new, old);
    end $$`
  await sql()`create trigger refuse before delete or update on graphile_worker._private_jobs
    for each row execute function public.refuse()`
})
beforeEach(async () => {
  runs = []
  held = Promise.withResolvers()
  const pools = await startPools([
    {
      ...{ databaseUrl: database.url, name: 'test', concurrency: 6, log: pino({ level: 'silent' }) },
      tasks: {
        noop: async (payload) => {
          const { n } = payload as { n: string }
          runs.push(n)
          if (n === 'held') await held.promise
          if (n === 'bad') throw new Error('this job fails')
        },
      },
      onPool: async () => {},
    },
  ])
  pool = pools[0] as JobPool
})
afterEach(async () => {
  await sql()`delete from public.forbidden`
  held.resolve()
  await pool.runner.stop().catch(() => {})
  await sql()`delete from graphile_worker._private_jobs`
})

async function add(...names: string[]): Promise<void> {
  await sql()`
    select graphile_worker.add_job('noop', json_build_object('n', n)), pg_notify('jobs:insert', 'noop')
    from unnest(${names}::text[]) as n`
  await expect.poll(() => names.every((name) => runs.includes(name))).toBe(true)
}
const forbid = (error: string) => sql()`insert into public.forbidden values (${error})`
const jobsLeft = async () =>
  (await sql()`select payload ->> 'n' as n from graphile_worker._private_jobs order by 1`).map(({ n }) => n)

test.each(['good', 'bad'])(
  'a pool that cannot write the end of a %s job says so, can be stopped, and stays registered',
  async (name) => {
    await forbid('42501')
    await add(name)
    expect(await pool.failed).toMatch('the end of a job is refused')
    await pool.runner.stop().catch(() => {})
    expect(pool.isClean()).toBe(false)
    expect(await jobsLeft()).toEqual([name])
  },
)

test('a pool ends although the end of a job cannot be written, and while another job is under way', async () => {
  await add('held')
  await forbid('57P03')
  await add('last')
  await pool.runner.stop().catch(() => {})
  expect(pool.isClean()).toBe(false)
  expect(await jobsLeft()).toContain('last')
})

test('a pool whose jobs have all ended is clean', async () => {
  await add('first', 'second')
  await expect.poll(jobsLeft).toEqual([])
  await pool.runner.stop()
  expect(pool.isClean()).toBe(true)
})
