import { beforeAll, expect, test } from 'vitest'
import { fillOrders } from '../../bench/fill.ts'
import { testDatabase } from '../../support/database.ts'
import { answer, unknown } from '../../support/items.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, products } from '../../support/partner.ts'
import { type Explained, explainingSession, mostRead } from '../../support/sql/plans.ts'

// What operators read of a queue in which very many jobs wait, by the rows that are read for it.
const database = testDatabase()
const unknownJobs = 12_000
const rungs = 2_000
const jobs = unknownJobs + rungs
const taken = Math.floor(jobs / 6000)
const page = 20
let session: Explained
let code: string

beforeAll(async () => {
  const { sql } = database
  await makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'token', code: 'bench' })
  const partner = await makePartner(sql, { balance: 100_000 })
  await fillOrders(sql, { orders: 2 * rungs, rungs, productId: products.topUp })
  const { body } = await place(sql, partner)
  code = body.code
  await answer(sql, body.items[0]?.id ?? '', unknown())
  await sql`
    select count(*) from graphile_worker.add_jobs(array(
      select row('deliver_waiting', json_build_object('id', gen_random_uuid()), null,
        now() + n * 7919 % ${unknownJobs}::int * interval '1 second', 1000, 'deliver_webhook:' || n, 0, null)::graphile_worker.job_spec
      from generate_series(1, ${unknownJobs}::int) n))`
  await sql`
    update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-1' where id % 6000 = 0`
  await sql`vacuum analyze`
  session = await explainingSession(database.url, {})
  return () => session.end()
})

test.each([
  ['the next 20 jobs of all', () => 'select * from ops.queue order by run_at limit 20', page],
  ['the next 20 available jobs', () => 'select * from ops.queue where available order by run_at limit 20', page],
  ['the jobs that workers have', () => 'select * from ops.queue where not available order by run_at', taken],
  ['the jobs of an order', () => `select * from ops.queue where order_code = '${code}'`, 1],
])('ops.queue reads no more than 100 rows for %s', async (_, query, count) => {
  const { rows, statements } = await session.explained((sql) => sql.unsafe(query()))
  expect(rows).toHaveLength(count)
  expect(rows.map(({ run_at }) => run_at)).toEqual(rows.map(({ run_at }) => run_at).sort((a, b) => a - b))
  expect(mostRead(statements)).toBeLessThanOrEqual(100)
})

test('ops.queue shows the jobs that a worker has in their place among the others', async () => {
  const all = await database.sql`select job_id from ops.queue order by run_at, job_id`
  const plain = await database.sql`select id as job_id from graphile_worker._private_jobs order by run_at, id`
  expect(all).toEqual(plain)
})

test('ops.queue_lengths counts the jobs of a task, and those that workers have', async () => {
  const [{ calls } = {}] = await database.sql`select jobs as calls from ops.queue_lengths where task = 'call_supplier'`
  expect(calls).toBe(1)
  const [lengths] = await database.sql`select jobs, taken from ops.queue_lengths where task = 'deliver_waiting'`
  expect(lengths).toEqual({ jobs, taken })
})
