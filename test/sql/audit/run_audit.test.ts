import { beforeAll, beforeEach, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/pool.ts'
import { testDatabase } from '../../support/database.ts'
import { explainingSession } from '../../support/sql/plans.ts'
import { makeAllThatIsWell, setEvent, well } from './scenario.ts'

const database = testDatabase()
const sql = () => database.sql
beforeAll(() => makeAllThatIsWell(sql()))
beforeEach(() => sql()`update supply.audit_runs set ran_at = ran_at - interval '1 minute'`)

async function runAudit(): Promise<number | null> {
  const [row] = await sql()`select work.run_audit() as breaches`
  return row?.breaches
}

const auditAlerts = () =>
  sql()`select cause, message, count from ops.alerts where cause like 'audit:%' order by cause`

test('the audit of a worker finds nothing while all is well, and is not made again before a minute is over', async () => {
  expect(await runAudit()).toBe(0)
  expect(await runAudit()).toBeNull()
  expect(await auditAlerts()).toEqual([])
})

test('while one worker audits, the others do not', async () => {
  await sql().begin(async (other) => {
    expect(await other`select work.run_audit() as breaches`).toEqual([{ breaches: 0 }])
    expect(await runAudit()).toBeNull()
  })
})

test('what does not hold raises an alert for each check, which says where', async () => {
  await sql().begin(async (tx) => {
    await setEvent(tx, well.dead, 'attempts = attempts + 1')
    await setEvent(tx, well.delivered, 'attempts = attempts + 1')
    await tx`update supply.accounts set balance = balance + 1 where id = ${well.account}`
  })
  expect(await runAudit()).toBe(4)
  const alerts = await auditAlerts()
  expect(alerts.map(({ cause }) => cause)).toEqual([
    'audit:balance_is_the_last_in_the_ledger',
    'audit:balance_is_the_sum_of_the_ledger',
    'audit:event_counts_its_attempts',
  ])
  const [run] = await sql()`select breaches, checks from supply.audit_runs`
  expect(run).toEqual({ breaches: 4, checks: alerts.map(({ cause }) => cause.replace('audit:', '')) })
  expect(alerts[2]?.message).toMatch(/^event .* says 3 attempts in round 1, but 2 were made \(and 1 more\)$/)
})

test('it reads whole tables, also on connections that otherwise never do', async () => {
  const session = await explainingSession(database.url, plansByKey)
  const { statements } = await session.explained((on) => on`select work.run_audit()`)
  await session.end()
  const kinds = statements.flatMap(({ nodes }) => nodes.map((node) => node['Node Type']))
  expect(kinds).toContain('Hash Join')
  expect(kinds).toContain('Seq Scan')
})
