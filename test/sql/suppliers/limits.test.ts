import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, hold, leaseCalls, processing, record } from '../../support/items.ts'
import { lastLogged } from '../../support/operator.ts'
import { audit, orderRequest, placeAll } from '../../support/orders.ts'

const { database, sql, partner } = itemTests({ balance: 100_000, isolated: true })

type Begun = { item_id: string; lease_token: string; wait_ms: number }

const limit = (calls: number | null, perSecond: number | null) =>
  sql()`select ops.set_supplier_limits(code => 'first', max_calls => ${calls}, per_minute => ${perSecond === null ? null : perSecond * 60})`

/** Orders so many items, one after the other, and returns them. */
async function items(count: number): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, n) => ({ ...orderRequest(partner()), ordinal: n }))
  const placed = await placeAll(sql(), requests)
  return placed.map(({ body }) => body.items[0]?.id ?? '')
}

const begin = async (on: postgres.Sql, ids: string[]): Promise<Begun[]> => [
  ...(await on<Begun[]>`select * from work.begin_calls(${ids}, '{}', null)`),
]

/** Begins the calls of the items that have a job, as workers would soon. */
async function beginJobs(ids: string[]): Promise<Begun[]> {
  const due = await sql()`select subject from core.jobs where subject = any (${ids}) and key is not null`
  const begun = await begin(
    sql(),
    due.map(({ subject }) => subject),
  )
  await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any (${due.map(({ subject }) => subject)})`
  return begun
}

/** Has several workers, each with a connection of its own, begin the calls of their share of the items, in batches. */
async function workers<T>(
  ids: string[],
  batch: number,
  work: (on: postgres.Sql, ids: string[]) => Promise<T>,
): Promise<T[]> {
  const connections = Array.from({ length: 4 }, () => postgres(database.url, { max: 1, onnotice: () => {} }))
  try {
    const shares = connections.map(async (on, n) => {
      const own = ids.filter((_, index) => index % connections.length === n)
      const done: T[] = []
      for (let at = 0; at < own.length; at += batch) done.push(await work(on, own.slice(at, at + batch)))
      return done
    })
    return (await Promise.all(shares)).flat()
  } finally {
    await Promise.all(connections.map((on) => on.end({ timeout: 1 })))
  }
}

const underWay = async () => {
  const [row] = await sql()`select under_way as n from core.places where supplier = 'first'`
  return row?.n
}

/** The items that wait for a place, in the order in which they get one. */
const waiting = async () => {
  const rows = await sql()`
    select id from supply.order_items where limited_rank is not null and limited_at <= now() order by limited_rank, limited_at, order_id`
  return rows.map(({ id }) => id as string)
}

const jobsOf = async (ids: string[]) => [
  ...(await sql()<{ id: string; wait: number }[]>`
    select substr(key, 15) as id, extract(epoch from run_at - now())::float as wait
    from graphile_worker.jobs where key = any(${ids.map((id) => `call_supplier:${id}`)}) order by run_at`),
]

describe('calls at once to a supplier', () => {
  test('are never more than the limit over all workers, and the others wait without a job', async () => {
    await limit(3, null)
    const ids = await items(40)
    const begun = (await workers(ids, 2, begin)).flat()
    expect(begun.length).toBeLessThanOrEqual(3)
    await sql()`select work.fill_places()`
    // Workers that meet leave their items to the next one.
    begun.push(...(await beginJobs(ids)))
    expect(begun).toHaveLength(3)
    expect(await underWay()).toBe(3)
    expect(await waiting()).toHaveLength(37)
    expect(await jobsOf(ids)).toEqual([])
    const [row] = await sql()`select count(*)::int as n from supply.supplier_attempts`
    expect(row?.n).toBe(3)
    expect(await audit(sql())).toEqual([])
  })

  test('stay within it while workers begin and end them', async () => {
    await limit(3, null)
    const ids = await items(24)
    const most: number[] = []
    const done = await workers(ids, 3, async (on, share) => {
      const begun = await begin(on, share)
      most.push(await underWay())
      for (const call of begun) await record(on, call, completed())
      return begun.length
    })
    expect(Math.max(...most)).toBeLessThanOrEqual(3)
    await sql()`select work.fill_places()`
    const begun = done.reduce((sum, n) => sum + n, 0) + (await beginJobs(ids)).length
    expect(begun).toBeGreaterThanOrEqual(3)
    expect(await underWay()).toBeLessThanOrEqual(3)
  })

  test('go first to the item that waited first, as soon as another call ends', async () => {
    await limit(1, null)
    const [first = '', second = '', third = ''] = await items(3)
    const [call] = await leaseCalls(sql(), [first])
    expect(await leaseCalls(sql(), [second])).toEqual([])
    expect(await leaseCalls(sql(), [third])).toEqual([])
    await record(sql(), call as never, completed())
    expect(await jobsOf([second, third])).toMatchObject([{ id: second }])
    expect(await waiting()).toEqual([third])
    const [late = ''] = await items(1)
    expect(await leaseCalls(sql(), [late, third])).toEqual([])
    expect(await leaseCalls(sql(), [third, second])).toMatchObject([{ item_id: second }])
  })

  test('go to first calls before questions, and to new questions before old ones', async () => {
    await limit(1, null)
    const [running = '', old = '', young = '', unsent = ''] = await items(4)
    await sql()`update supply.order_items set sent_at = now(), next_call = 'get', checks = case id when ${old} then 9 else 1 end
      where id in (${old}, ${young})`
    const [call] = await leaseCalls(sql(), [running])
    expect(await leaseCalls(sql(), [old, young, unsent])).toEqual([])
    expect(await waiting()).toEqual([unsent, young, old])
    await record(sql(), call as never, completed())
    expect(await waiting()).toEqual([young, old])
    expect(await leaseCalls(sql(), [old, young, unsent])).toMatchObject([{ item_id: unsent }])
  })

  test('go to questions a second later when an answer settles nothing', async () => {
    await limit(1, null)
    const [first = '', second = ''] = await items(2)
    const [call] = await leaseCalls(sql(), [first])
    await sql()`update supply.order_items set sent_at = now(), next_call = 'get' where id = ${second}`
    expect(await leaseCalls(sql(), [second])).toEqual([])
    await record(sql(), call as never, processing())
    expect(await jobsOf([first, second])).toEqual([])
    await sql()`select work.fill_places()`
    expect(await jobsOf([first, second])).toMatchObject([{ id: second }])
  })

  test('do not include calls whose lease ended or whose worker is gone, but calls whose item was pushed', async () => {
    await limit(3, null)
    const ids = await items(3)
    await leaseCalls(sql(), ids)
    expect(await underWay()).toBe(3)
    await sql()`update supply.order_items set lease_expires_at = now() - interval '1 s' where id = ${ids[0] ?? ''}`
    await sql()`update supply.order_items set lease_expires_at = null, lease_token = null where id = ${ids[1] ?? ''}`
    await sql()`select api.record_pushed_result('first', ${ids[2] ?? ''}, ${sql().json(completed())})`
    expect(await underWay()).toBe(1)
  })

  test('include status polls', async () => {
    await limit(1, null)
    const [first = '', second = ''] = await items(2)
    const [call] = await leaseCalls(sql(), [first])
    await record(sql(), call as never, processing())
    await leaseCalls(sql(), [second])
    expect(await leaseCalls(sql(), [first])).toEqual([])
  })
})

describe('requests a minute to a supplier', () => {
  const freeIn = async (from: Date) => {
    const [row] =
      await sql()`select extract(epoch from free_at - ${from})::float as s from supply.supplier_places where supplier = 'first'`
    return row?.s
  }
  const now = async () => {
    const [row] = await sql()<{ now: Date }[]>`select clock_timestamp() as now`
    return row?.now ?? new Date(0)
  }

  test('are as many as the limit allows over all workers: each call has its own time', async () => {
    await limit(null, 10)
    const ids = await items(60)
    const from = await now()
    const begun = (await workers(ids, 3, begin)).flat()
    await sql()`select work.fill_places()`
    begun.push(...(await beginJobs(ids)))
    // Who begins waits two seconds at most.
    expect(begun.length).toBeGreaterThanOrEqual(20)
    expect(Math.max(...begun.map(({ wait_ms }) => wait_ms))).toBeLessThanOrEqual(2_000)
    expect(await freeIn(from)).toBeGreaterThanOrEqual(begun.length / 10)
    expect(await waiting()).toHaveLength(60 - begun.length)
  })

  test('of a batch are sent one after the other, the oldest first, and the others get places as time passes', async () => {
    await limit(null, 2)
    const ids = await items(10)
    const begun = await begin(sql(), [...ids].reverse())
    const waits = [...begun].sort((a, b) => a.wait_ms - b.wait_ms)
    expect(waits.map(({ item_id }) => item_id)).toEqual(ids.slice(0, waits.length))
    expect(waits.length).toBeGreaterThanOrEqual(4)
    for (const [n, { wait_ms }] of waits.entries()) expect(wait_ms).toBeCloseTo(500 * n, 3)
    expect(await waiting()).toEqual(ids.slice(waits.length))
    const fill = async (freeIn: string) => {
      await sql()`update supply.supplier_places set free_at = clock_timestamp() + ${freeIn}::interval where supplier = 'first'`
      await sql()`select work.fill_places()`
      return (await jobsOf(ids)).map(({ id }) => id)
    }
    expect(await fill('1 minute')).toEqual([])
    const given = await fill('1 s')
    expect(given.length).toBeGreaterThanOrEqual(3)
    expect(given).toEqual(ids.slice(waits.length, waits.length + given.length))
  })

  test('include each request of a call', async () => {
    await sql()`update supply.suppliers set protocol = 'kinguin' where code = 'first'`
    await limit(null, 1)
    const begun = await begin(sql(), await items(5))
    expect(begun.map(({ wait_ms }) => Math.round(wait_ms))).toEqual([0])
  })

  test('extend the lease of a call by the time that it waits', async () => {
    await limit(null, 1)
    const begun = await begin(sql(), await items(2))
    const waited = begun.find(({ wait_ms }) => wait_ms > 0)
    const [row] = await sql()`
      select extract(epoch from i.lease_expires_at - a.started_at)::float as lease
      from supply.order_items i join supply.supplier_attempts a on a.lease_token = i.lease_token where i.id = ${waited?.item_id ?? ''}`
    expect(row?.lease).toBeCloseTo(45 + (waited?.wait_ms ?? 0) / 1000, 3)
  })
})

test('an open transaction on a supplier stops no call, not even its own', async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
  await limit(2, null)
  const [atFirst = '', atSecond = ''] = await items(2)
  await sql()`update supply.order_items set supplier = 'second' where id = ${atSecond}`
  const holder = await sql().reserve()
  await holder`begin`
  await holder`select ops.set_supplier_limits('first', 40, null)`
  const begun = await begin(sql(), [atFirst, atSecond])
  await holder`rollback`
  holder.release()
  expect(begun.map(({ item_id: id }) => id).toSorted()).toEqual([atFirst, atSecond].toSorted())
})

test('items of a supplier whose places another transaction gives wait, and those of others do not', async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
  await limit(2, null)
  const [atFirst = '', atSecond = ''] = await items(2)
  await sql()`update supply.order_items set supplier = 'second' where id = ${atSecond}`
  const holder = await sql().reserve()
  await holder`begin`
  await holder`select from supply.supplier_places where supplier = 'first' for update`
  expect(await begin(sql(), [atFirst, atSecond])).toMatchObject([{ item_id: atSecond }])
  await sql()`select work.fill_places()`
  expect(await waiting()).toEqual([atFirst])
  await holder`rollback`
  holder.release()
  await sql()`select work.fill_places()`
  expect(await begin(sql(), [atFirst])).toMatchObject([{ item_id: atFirst }])
})

describe('the limits of a supplier', () => {
  test('are shown and logged, and null removes them', async () => {
    await limit(5, 2.5)
    const shown = () => sql()`select max_calls, per_minute from ops.suppliers where code = 'first'`
    expect(await shown()).toEqual([{ max_calls: 5, per_minute: '150.00' }])
    expect(await lastLogged(sql())).toMatchObject({
      ...{ action: 'set_supplier_limits', detail: { max_calls: 5, per_minute: 150 } },
    })
    await limit(null, null)
    expect(await shown()).toEqual([{ max_calls: null, per_minute: null }])
    expect(await begin(sql(), await items(20))).toHaveLength(20)
  })
})

test.each([
  ['removed', null],
  ['raised', 1000],
] as const)('items that wait for a limit get places when it is %s', async (_, calls) => {
  await limit(1, null)
  const ids = await items(30)
  await begin(sql(), ids)
  expect(await waiting()).toHaveLength(29)
  await limit(calls, null)
  await sql()`select work.fill_places()`
  expect(await waiting()).toEqual([])
  expect(await jobsOf(ids)).toHaveLength(29)
  expect(await begin(sql(), ids.slice(1))).toHaveLength(29)
})

describe('a supplier without limits', () => {
  test('has as many calls under way as the worker makes at once, and the others wait without a job', async () => {
    await sql()`select work.heartbeat(array['pool-1'], 3)`
    const ids = await items(8)
    const some = await sql()`select * from work.begin_calls(${ids.slice(0, 6)}, '{"first": 1}', 4)`
    expect(some).toHaveLength(3)
    expect(await waiting()).toHaveLength(3)
    expect(await sql()`select * from work.begin_calls(${ids.slice(6)}, '{"first": 1}', 4)`).toEqual([])
    expect(await waiting()).toHaveLength(5)
  })

  test('gives its places to the items that wait when calls end, as many as living workers have', async () => {
    await sql()`select work.heartbeat(array['pool-1'], 2)`
    await sql()`select work.heartbeat(array['pool-2'], 1)`
    const ids = await items(8)
    const begun = await sql()`select * from work.begin_calls(${ids}, '{}', 3)`
    expect(await waiting()).toHaveLength(5)
    await sql()`select work.fill_places()`
    expect(await jobsOf(ids)).toEqual([])
    for (const call of begun.slice(0, 2)) await record(sql(), call as never, completed())
    expect(await jobsOf(ids)).toHaveLength(2)
    expect(await waiting()).toHaveLength(3)
    await sql()`update supply.worker_pools set seen_at = now() - interval '11 s' where pool_id = 'pool-1'`
    for (const call of begun.slice(2)) await record(sql(), call as never, completed())
    expect(await waiting()).toHaveLength(3)
  })

  test.each([
    ['at a pace beside others that answer: none', "'0.9 s'", '0 s', 0],
    ['once its time has come: all', "'-1 s'", '0 s', 3],
    ['after the clock was set back: all', "'1 hour'", '0 s', 3],
    ['where no other one answers: all', "'0.9 s'", '2 minutes', 3],
  ])('gives places to items that wait %s', async (_, ahead, answered, given) => {
    const ids = await items(3)
    await sql()`select core.limit_items(${ids})`
    await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
    await sql()`
      insert into supply.supplier_states (supplier, last_good_at, silent_after)
      values ('second', now() - ${answered}::interval, '15 minutes')
      on conflict (supplier) do update set last_good_at = excluded.last_good_at`
    await sql().unsafe(`update supply.supplier_places set free_at = now() + interval ${ahead} where supplier = 'first'`)
    await sql()`select work.fill_places()`
    expect(await jobsOf(ids)).toHaveLength(given)
    await sql()`update supply.supplier_places set free_at = null`
  })

  test('gets no job for a new order while others wait, and the order is first in line before questions', async () => {
    const [asked = ''] = await items(1)
    await sql()`update supply.order_items set sent_at = now(), next_call = 'get' where id = ${asked}`
    await sql()`select core.limit_items(${[asked]})`
    const [placed = ''] = await items(1)
    const jobs = await sql()`select from core.jobs where subject = ${placed}`
    expect(jobs).toEqual([])
    expect(await waiting()).toEqual([placed, asked])
    await sql()`select work.fill_places()`
    expect((await jobsOf([placed, asked])).map(({ id }) => id)).toEqual([placed, asked])
    expect(await audit(sql())).toEqual([])
  })
})

test('ops.order_items shows the state of an item', async () => {
  const state = async (id: string) => {
    const [row] = await sql()`select state from ops.order_items where item_id = ${id}`
    return row?.state
  }
  await limit(1, null)
  const [first = '', second = ''] = await items(2)
  expect(await state(first)).toBe('ready')
  const [call] = await leaseCalls(sql(), [first])
  expect(await state(first)).toBe('leased')
  await leaseCalls(sql(), [second])
  expect(await state(second)).toBe('limited')
  await sql()`update supply.order_items set next_check_at = now() - interval '5 minutes' where id = ${second}`
  expect(await sql()`select detail from ops.order_story(${second}) where what = 'now'`).toEqual([
    { detail: 'item 1 waits for a place at first' },
  ])
  await record(sql(), call as never, hold())
  expect([await state(first), await state(second)]).toEqual(['held', 'ready'])
  const [again] = await leaseCalls(sql(), [second])
  await record(sql(), again as never, processing())
  expect(await state(second)).toBe('waiting')
  await answer(sql(), second, processing(), '0 s')
  expect(await state(second)).toBe('stuck')
  await answer(sql(), second, completed())
  expect(await state(second)).toBe('final')
})
