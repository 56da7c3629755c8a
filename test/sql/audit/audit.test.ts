import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { audit } from '../../support/orders.ts'
import { deliveries } from './deliveries.ts'
import { money } from './money.ts'
import { orders } from './orders.ts'
import { queue } from './queue.ts'
import { results } from './results.ts'
import { type Breach, loseJob, makeAllThatIsWell, setItem, setJob, well } from './scenario.ts'

const database = testDatabase()
beforeAll(() => makeAllThatIsWell(database.sql))

class Undone extends Error {}

/** What the audit says after the breach, which is then undone. Triggers and foreign keys do not hinder it. */
async function found(by: Breach['by']): Promise<{ check_name: string; detail: string }[]> {
  let rows: { check_name: string; detail: string }[] = []
  const breach = database.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await by(sql)
    rows = [...(await sql<typeof rows>`select * from ops.audit order by check_name`)]
    throw new Undone()
  })
  await expect(breach).rejects.toBeInstanceOf(Undone)
  return rows
}

describe('the audit is silent', () => {
  test('while all is well: open, waiting, stuck, held, dead and alerted included', async () => {
    expect(await audit(database.sql)).toEqual([])
  })

  test.each<[string, Breach['by']]>([
    [
      'a job that a living worker has for long',
      async (sql) => {
        await sql`select work.register_pool('pool-1')`
        await setJob(sql, well.openItem, "locked_at = now() - interval '6 minutes', locked_by = 'pool-1'")
      },
    ],
    [
      'a call under way without a job',
      async (sql) => {
        await loseJob(sql, well.openItem)
        await setItem(sql, well.openItem, "lease_expires_at = now() + interval '10 seconds'")
      },
    ],
    [
      'a job that failed after a later one took its key',
      async (sql) => {
        await setJob(sql, well.openItem, "key = null, locked_at = now(), locked_by = 'pool-1'")
        await sql`select core.enqueue('call_supplier', ${[well.openItem]}, array[now()], 'call_supplier')`
        await sql`
          update graphile_worker._private_jobs set attempts = max_attempts, locked_at = null, locked_by = null
          where payload ->> 'id' = ${well.openItem} and key is null`
      },
    ],
    ['an item that an operator holds back', (sql) => loseJob(sql, well.heldItem)],
    [
      'a job that was left over when its event died',
      (sql) => sql`select core.enqueue('deliver_webhook', ${[well.dead]}, array[now()], 'deliver_webhook')`,
    ],
    ['a redelivery', (sql) => sql`select ops.redeliver(${well.dead})`],
  ])('about %s', async (_, by) => {
    expect(await found(by)).toEqual([])
  })
})

describe.each([
  ['money', money],
  ['orders', orders],
  ['results', results],
  ['deliveries', deliveries],
  ['the queue', queue],
])('about %s the audit tells', (_, breaches) => {
  test.each(breaches)('$checks, about $about', async ({ checks, about, by }) => {
    const rows = await found(by)
    expect(rows.map(({ check_name }) => check_name)).toEqual(checks)
    for (const { detail } of rows) expect(detail).toContain(String(well[about]))
  })
})

test('every check of the audit is proven able to fail', async () => {
  const views = await database.sql`
    select pg_get_viewdef(oid) as text from pg_class
    where relnamespace = 'core'::regnamespace and relname like 'audit%' and relname <> 'audit_scope'`
  const checks = views.flatMap(({ text }) =>
    [...text.matchAll(/SELECT '([a-z_]+)'::text/g)].map(([, name]) => name),
  )
  const proven = [...money, ...orders, ...results, ...deliveries, ...queue].flatMap((breach) => breach.checks)
  expect(checks.length).toBeGreaterThan(30)
  expect(new Set(checks)).toEqual(new Set(proven))
})
