import { beforeEach, describe, expect, test } from 'vitest'
import {
  answered,
  beginDeliveries,
  finishAttempt,
  leaseAttempt,
  leaseAttempts,
  unreachable,
} from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { completed, finishCalls, leaseCalls, notReceived, record, unknown } from '../../support/items.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { sql, partner, order, newItem, newEvent, newEvents, eventOf, attempt, attemptsOf, jobsOf, loseJobs } = itemTests(
  { audited: true },
)
let pool = ''

beforeEach(async () => {
  await sql()`truncate supply.worker_pools`
  pool = `pool-${Math.random()}`
})

/** Has a pool take the job of an event or an item. Returns how its queue completes the job. */
async function takeJob(subject: string, poolId = pool): Promise<() => Promise<unknown>> {
  const [job] = await sql()`
    update graphile_worker._private_jobs set locked_by = ${poolId}, locked_at = now(), attempts = attempts + 1
    where payload ->> 'id' = ${subject} and locked_at is null and attempts < max_attempts returning id`
  return () => sql()`delete from graphile_worker._private_jobs where id = ${job?.id ?? null}`
}

const leaseItem = async (item: string) => {
  const [call] = await sql()`select * from work.begin_calls(${[item]}, '{}', null)`
  return call as never
}

const leaseEvent = async (event: string) => {
  const [attempt] = await beginDeliveries(sql(), [event])
  return attempt as never
}

/** Registers a pool whose last heartbeat is so many seconds old. */
async function register(poolId: string, age: number): Promise<void> {
  await sql()`select work.heartbeat(${[poolId]}, 0)`
  await sql()`update supply.worker_pools set seen_at = now() - ${age} * interval '1 s' where pool_id = ${poolId}`
}

/** Returns how many jobs a sweep frees. */
const sweep = () => oneValue<number>(sql()`select work.sweep()`)

/** Lets the pool's heartbeat grow old. Returns how many jobs a sweep freed. */
async function die(): Promise<number> {
  await register(pool, 11)
  return sweep()
}

/** In how many seconds each job of an event or an item is due. */
const waits = async (subject: string) => (await jobsOf(subject)).map(({ wait }) => Math.max(0, Math.ceil(wait)))

describe('a sweep', () => {
  test.each([
    ['frees the jobs of a pool whose heartbeat is 11 s old', 11, 1],
    ['leaves the jobs of a pool whose heartbeat is 8 s old', 8, 0],
  ])('%s', async (_, age, freed) => {
    const item = await newItem()
    await register(pool, age)
    await takeJob(item)
    expect(await sweep()).toBe(freed)
    expect((await jobsOf(item))[0]?.locked_by).toBe(freed === 1 ? null : pool)
  })

  test('frees the jobs of a pool that never registered after a minute', async () => {
    const item = await newItem()
    await takeJob(item)
    expect(await sweep()).toBe(0)
    await sql()`update graphile_worker._private_jobs set locked_at = now() - interval '61 s' where payload ->> 'id' = ${item}`
    expect(await sweep()).toBe(1)
  })

  test('runs while another session holds every advisory lock of the periodic tasks', async () => {
    await takeJob(await newItem())
    const names = ['sweep', 'run_audit', 'fill_slots', 'number_results', 'resume_forgotten', 'compare_alerts']
    const freed = await sql().begin(async (operator) => {
      for (const name of [...names, 'check_suppliers'])
        await operator`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
      return die()
    })
    expect(freed).toBe(1)
  })

  test('frees the other jobs while an open transaction adds jobs with the keys of two', async () => {
    const [polled, other, event] = [await newItem(), await newItem(), await newEvent()]
    await attempt(event, answered(500))
    await loseJobs(event)
    // Jobs without a key, as the first call of an item has it, and what met a lock.
    await sql()`select core.enqueue_busy('deliver_webhook', ${[event]})`
    for (const subject of [polled, other, event]) await takeJob(subject)
    const operator = await sql().reserve()
    await operator`begin`
    await operator`set local role supply_operator`
    await operator`select ops.poll_now(${polled}), ops.deliver_now(${event})`
    await sql().begin(async (worker) => {
      await worker`set local lock_timeout = '2s'`
      await register(pool, 11)
      expect(await oneValue(worker`select work.sweep()`)).toBe(3)
    })
    await operator`rollback`
    operator.release()
    for (const subject of [polled, other, event])
      expect(await jobsOf(subject)).toMatchObject([{ locked_by: null, wait: expect.toSatisfy((wait) => wait <= 1) }])
  })

  test('finds nothing of a pool that ended in order', async () => {
    await register(pool, 0)
    await sql()`select work.remove_pools(${[pool]})`
    expect(await sql()`select from supply.worker_pools`).toHaveLength(0)
  })

  test('frees at most 500 jobs, of whole pools', async () => {
    for (let n = 0; n < 12; n += 1) await register(`pool-dead-${n}`, 11)
    const ids = Array.from({ length: 1200 }, () => crypto.randomUUID())
    await sql()`
      select graphile_worker.add_jobs(array_agg(row(
        'call_supplier', json_build_object('id', id), null, now(), 1000, null, 0, null)::graphile_worker.job_spec))
      from unnest(${ids}::uuid[]) as id`
    await sql()`
      update graphile_worker._private_jobs set locked_by = 'pool-dead-' || id % 12, locked_at = now(), attempts = 1
      where payload ->> 'id' = any(${ids})`
    expect([await sweep(), await sweep(), await sweep(), await sweep()]).toEqual([500, 500, 200, 0])
    const left = await sql()`
      delete from graphile_worker._private_jobs where payload ->> 'id' = any(${ids}) and locked_by is null returning id`
    expect(left).toHaveLength(1200)
  })
})

describe('a pool that is known to be dead', () => {
  test('loses its lease of an item: the supplier is asked at once, and the late answer is stale', async () => {
    const item = await newItem()
    await takeJob(item)
    const lost = await leaseItem(item)
    expect(await die()).toBe(1)
    expect(await waits(item)).toEqual([1])
    expect(await record(sql(), lost, completed())).toBe('stale')
    expect(await leaseItem(item)).toMatchObject({ item_id: item, method: 'get' })
  })

  test('leaves a job for its item even if it lives, and ends its own job during the sweep', async () => {
    const item = await newItem()
    await takeJob(item)
    const lost = await leaseItem(item)
    // The worker's result meets the lock of the sweep, which has ended the lease. So its job ends at this moment.
    await sql().unsafe(`
      create function public.end_job() returns trigger language plpgsql security definer as $$
      begin
        delete from graphile_worker._private_jobs where payload ->> 'id' = new.id::text;
        return null;
      end $$;
      create trigger end_job after update on supply.order_items for each row execute function public.end_job()`)
    await die().finally(() => sql().unsafe('drop trigger end_job on supply.order_items; drop function public.end_job'))
    expect(await waits(item)).toEqual([0])
    expect(await record(sql(), lost, completed())).toBe('stale')
  })

  test('loses its lease of an event: the attempt is lost, the next rung is planned, and its slot is free', async () => {
    const event = await newEvent()
    await takeJob(event)
    const lost = await leaseEvent(event)
    expect(await die()).toBe(1)
    expect(await eventOf(event)).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(await waits(event)).toEqual([60])
    expect(await finishAttempt(sql(), lost, answered(200))).toBe('stale')
    expect(await attemptsOf(event)).toMatchObject([{ outcome: 'lost' }])
  })

  test('loses the first attempts that it leased with results, which have no job', async () => {
    const { item } = await order({ callbackUrl: 'https://hooks.example/x' })
    await sql()`insert into supply.webhook_secrets (account_id, secret) values (${partner().accountId}, ${'5'.repeat(64)})`
    const calls = await leaseCalls(sql(), [item])
    const { attempts } = await finishCalls(sql(), calls, completed(), { toSend: 1, pool })
    const [lost] = attempts
    await die()
    expect(await eventOf(lost?.event_id ?? '')).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(await finishAttempt(sql(), lost as never, answered(200))).toBe('stale')
  })

  test('leaves a dead letter when it died at the ninth attempt', async () => {
    const event = await newEvent()
    for (let death = 1; death <= 9; death += 1) {
      await sql()`update supply.events set next_attempt_at = now() where id = ${event}`
      await takeJob(event)
      expect(await leaseEvent(event), `attempt ${death}`).toBeDefined()
      expect(await die()).toBe(1)
    }
    expect(await eventOf(event)).toMatchObject({ state: 'dead', dead_reason: 'attempts_exhausted' })
  })

  test('frees its slots for the queued events', async () => {
    const events = await newEvents(12)
    for (const event of events) await takeJob(event)
    await beginDeliveries(sql(), events)
    await die()
    const rows = await sql()`
      select state, count(*)::int as n from supply.events where id = any(${events}) group by state order by state`
    expect([...rows]).toEqual([
      { state: 'ready', n: 4 },
      { state: 'waiting', n: 8 },
    ])
  })

  test('takes no lease of a living pool that has a later job of the same item', async () => {
    const item = await newItem()
    await takeJob(item)
    await record(sql(), await leaseItem(item), notReceived())
    const complete = await takeJob(item, 'pool-alive')
    const living = await leaseItem(item)
    expect(await die()).toBe(1)
    expect(await record(sql(), living, completed())).toBe('settled')
    await complete()
  })

  test('gives back a job later and later when the job kills its workers', async () => {
    const item = await newItem()
    const seen: number[] = []
    for (let death = 1; death <= 6; death += 1) {
      await takeJob(item)
      await leaseItem(item)
      await die()
      seen.push(...(await waits(item)))
    }
    expect(seen).toEqual([1, 2, 4, 8, 16, 32])
  })
})

test('a process that stood still learns from its heartbeat that it was declared dead, and is known again', async () => {
  const beat = () => oneValue(sql()`select work.heartbeat(array['pool-a', 'pool-b'], 0)`)
  await sql()`select work.heartbeat(array['pool-a'], 0)`
  expect([await beat(), await beat()]).toEqual([1, 0])
  await sql()`update supply.worker_pools set seen_at = now() - interval '11 s' where pool_id like 'pool-%'`
  await sweep()
  expect([await beat(), await beat()]).toEqual([2, 0])
})

describe('a worker that was declared dead, goes on and completes its job', () => {
  test('leaves the next rung of an event, whether it records after that or before', async () => {
    for (const recordsFirst of [true, false]) {
      const id = await newEvent()
      const complete = await takeJob(id)
      const attempt = await leaseEvent(id)
      const steps = [die, () => finishAttempt(sql(), attempt, unreachable())]
      for (const step of recordsFirst ? steps.reverse() : steps) await step()
      await complete()
      expect(await waits(id)).toEqual([60])
    }
  })

  test('leaves the next call for an item, at its first call and later', async () => {
    const item = await newItem()
    for (const checks of [0, 1, 2]) {
      await sql()`update supply.order_items set next_check_at = now() where id = ${item}`
      const complete = await takeJob(item)
      const call = await leaseItem(item)
      await die()
      await record(sql(), call, unknown())
      await complete()
      expect(await waits(item), `after ${checks} calls`).toHaveLength(1)
    }
  })

  test('leaves what it had planned before it was declared dead', async () => {
    const item = await newItem()
    await takeJob(item)
    const call = await leaseItem(item)
    await sql()`update supply.order_items set checks = 6 where id = ${item}`
    await record(sql(), call, unknown())
    await die()
    expect(await waits(item)).toEqual([60])
  })
})

test('a job that runs before its event or item is due, for a clock was set back, is planned again', async () => {
  const id = await newEvent()
  await sql()`update supply.events set next_attempt_at = now() + interval '5 s' where id = ${id}`
  await loseJobs(id)
  expect(await leaseEvent(id)).toBeUndefined()
  expect(await waits(id)).toEqual([5])

  const item = await newItem()
  const [call] = await leaseCalls(sql(), [item])
  await record(sql(), call as never, unknown())
  await sql()`update supply.order_items set next_check_at = now() + interval '5 s' where id = ${item}`
  await loseJobs(item)
  expect(await leaseItem(item)).toBeUndefined()
  expect(await waits(item)).toEqual([5])
})

test('a lost attempt is found beside many due events of its account', async () => {
  const [lost = '', ...others] = await newEvents(30)
  await leaseAttempt(sql(), lost)
  await leaseAttempts(sql(), [lost])
  await sql()`update supply.events set lease_expires_at = now() - interval '1 s' where id = ${lost}`
  await sql()`
    update graphile_worker._private_jobs set run_at = now() where payload ->> 'id' = any(${[lost, ...others]})`
  expect(await leaseAttempts(sql(), others.slice(0, 20))).toHaveLength(8)
  expect(await waits(lost)).toEqual([0])
})
