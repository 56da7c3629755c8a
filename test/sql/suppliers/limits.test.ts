import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { completed, leaseCalls, processing, record } from '../../support/items.ts'
import { lastLogged } from '../../support/operator.ts'
import { audit, orderRequest, placeAll } from '../../support/orders.ts'
import { whileHeld } from '../../support/sql/locks.ts'

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
  const [row] = await sql()`select core.calls_under_way('first') as n`
  return row?.n
}

const jobsOf = async (ids: string[]) => [
  ...(await sql()<{ id: string; wait: number }[]>`
    select substr(key, 15) as id, extract(epoch from run_at - now())::float as wait
    from graphile_worker.jobs where key = any(${ids.map((id) => `call_supplier:${id}`)}) order by run_at`),
]

describe('calls at once to a supplier', () => {
  test('are never more than the limit over all workers, and the others are planned again', async () => {
    await limit(3, null)
    const ids = await items(40)
    const begun = (await workers(ids, 2, begin)).flat()
    expect(begun).toHaveLength(3)
    expect(await underWay()).toBe(3)
    const waiting = await jobsOf(ids)
    expect(waiting).toHaveLength(37)
    expect(Math.min(...waiting.map(({ wait }) => wait))).toBeGreaterThan(0)
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
    expect(done.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(3)
  })

  test('go first to the item that waited first, as soon as another call ends', async () => {
    await limit(1, null)
    const [first = '', second = '', third = ''] = await items(3)
    const [call] = await leaseCalls(sql(), [first])
    expect(await leaseCalls(sql(), [second])).toEqual([])
    expect(await leaseCalls(sql(), [third])).toEqual([])
    await record(sql(), call as never, completed())
    const [next, ...others] = await jobsOf([second, third])
    expect(next).toMatchObject({ id: second })
    expect(next?.wait).toBeLessThanOrEqual(0)
    expect(others).toHaveLength(1)
    const [late = ''] = await items(1)
    expect(await leaseCalls(sql(), [late, third])).toEqual([])
    expect(await leaseCalls(sql(), [third, second])).toMatchObject([{ item_id: second }])
  })

  test('go to another item when no worker begins the first one within 5 s', async () => {
    await limit(1, null)
    const [first = '', second = '', third = ''] = await items(3)
    const [call] = await leaseCalls(sql(), [first])
    await leaseCalls(sql(), [second])
    await record(sql(), call as never, completed())
    await sql()`update supply.order_items set next_check_at = now() - interval '6 s' where id = ${second}`
    expect(await leaseCalls(sql(), [third])).toMatchObject([{ item_id: third }])
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
      await sql()`select extract(epoch from free_at - ${from})::float as s from supply.suppliers where code = 'first'`
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
    // Who begins waits two seconds at most.
    expect(begun.length).toBeGreaterThanOrEqual(20)
    expect(Math.max(...begun.map(({ wait_ms }) => wait_ms))).toBeLessThanOrEqual(2_000)
    expect(await freeIn(from)).toBeGreaterThanOrEqual(begun.length / 10)
    expect((await jobsOf(ids)).length).toBe(60 - begun.length)
  })

  test('of a batch are sent one after the other, the oldest first, and the rest is planned in time', async () => {
    await limit(null, 2)
    const ids = await items(10)
    const begun = await begin(sql(), [...ids].reverse())
    const waits = [...begun].sort((a, b) => a.wait_ms - b.wait_ms)
    expect(waits.map(({ item_id }) => item_id)).toEqual(ids.slice(0, waits.length))
    expect(waits.length).toBeGreaterThanOrEqual(4)
    for (const [n, { wait_ms }] of waits.entries()) expect(wait_ms).toBeCloseTo(500 * n, 3)
    const late = await jobsOf(ids)
    expect(late.map(({ id }) => id)).toEqual(ids.slice(waits.length))
    const last = late.at(-1)?.wait ?? 0
    // Ten calls take five seconds, and each is begun up to two seconds ahead.
    expect(last).toBeGreaterThan(1)
    expect(last).toBeLessThan(5)
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

test('workers that meet at two suppliers lock them in one order', async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
  await limit(9, null)
  await sql()`select ops.set_supplier_limits('second', 9, null)`
  const [atFirst = '', atSecond = ''] = await items(2)
  await sql()`update supply.order_items set supplier = 'second' where id = ${atSecond}`
  await sql()`update supply.suppliers set open_since = now(), trial_at = now() where code = 'second'`
  const other = await sql().reserve()
  const take = (supplier: string) => other`select code from supply.suppliers where code = ${supplier} for no key update`
  const begun = await whileHeld(
    sql(),
    async () => {
      await other`begin`
      await take('first')
    },
    () => begin(sql(), [atFirst, atSecond]),
    async () => {
      expect(await take('second')).toHaveLength(1)
      await other`commit`
    },
  )
  expect(begun.map(({ item_id: id }) => id).toSorted()).toEqual([atFirst, atSecond].toSorted())
  other.release()
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
] as const)('items that wait for a limit are due within seconds when it is %s', async (_, calls) => {
  await limit(1, null)
  const ids = await items(30)
  await begin(sql(), ids)
  const waiting = async () =>
    (
      await sql()`select count(*)::int as n from supply.order_items
      where id = any(${ids}) and limited_at is not null and next_check_at > now() + interval '10 s'`
    )[0]?.n
  expect(await waiting()).toBeGreaterThan(15)
  await limit(calls, null)
  expect(await waiting()).toBe(0)
  const [jobs] = await sql()`select count(*)::int as n from graphile_worker._private_jobs
    where payload ->> 'id' = any(${ids}) and run_at < now() + interval '5 s'`
  expect(jobs?.n).toBeGreaterThanOrEqual(29)
  await sql()`select pg_sleep(0.2)`
  const rest = ids.slice(1)
  expect(await begin(sql(), rest)).toHaveLength(29)
})
