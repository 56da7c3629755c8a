import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { audit } from '../../support/orders.ts'
import { uncheckedUndone } from '../../support/sql/transactions.ts'
import { breaches, noBreaches } from './breaches.ts'
import { makeAllThatIsWell, well } from './scenario.ts'

const database = testDatabase({ catalog: true })
beforeAll(() => makeAllThatIsWell(database.sql))

/** What the audit finds after these statements, which are then undone. No trigger and no foreign key stops them. */
const found = (statements: string[]) =>
  uncheckedUndone(database.sql, async (sql) => {
    for (const text of statements) {
      await sql.unsafe(text.replace(/\$(\w+)/g, (_, name: keyof typeof well) => String(well[name])))
    }
    return [...(await sql<{ check_name: string; detail: string }[]>`select * from ops.audit order by check_name`)]
  })

test('the audit finds nothing while all is well: open, waiting, stuck, held, dead and alerted', async () => {
  expect(await audit(database.sql)).toEqual([])
})

test.each(Object.entries(noBreaches))('the audit finds nothing about %s', async (_, statements) => {
  expect(await found(statements)).toEqual([])
})

test.each(breaches)('the audit reports %s, and names the %s', async (checks, about, ...statements) => {
  const rows = await found(statements)
  expect(rows.map(({ check_name }) => check_name)).toEqual(checks.split(' '))
  for (const { detail } of rows) expect(detail).toContain(String(well[about]))
})

test('every check of the audit fails in a test', async () => {
  const views = await database.sql`
    select pg_get_viewdef(oid) as text from pg_class
    where relnamespace = 'core'::regnamespace and relname like 'audit%' and relname <> 'audit_scope'`
  const checks = views.flatMap(({ text }) => [...text.matchAll(/SELECT '([a-z_]+)'::text/g)].map(([, name]) => name))
  expect(checks.length).toBeGreaterThan(30)
  expect(new Set(checks)).toEqual(new Set(breaches.flatMap(([names]) => names.split(' '))))
})
