import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { closeAlerts, passAnHour } from '../../support/alerts.ts'
import { testDatabase } from '../../support/database.ts'
import { operatorOf } from '../../support/operator.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { explainingSession } from '../../support/sql/plans.ts'
import { makeAllThatIsWell, well } from './scenario.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
beforeAll(() => makeAllThatIsWell(sql()))
beforeEach(() => sql()`update supply.audit_runs set ran_at = ran_at - interval '1 minute'`)

const runAudit = () => oneValue<number | null>(sql()`select work.run_audit()`)
const setEvent = (id: string, change: string) => sql().unsafe(`update supply.events set ${change} where id = '${id}'`)
const auditAlerts = () => sql()`select cause, message, count from ops.alerts where cause like 'audit:%' order by cause`

test('run_audit finds nothing while all is well, and runs again only after a minute', async () => {
  expect(await runAudit()).toBe(0)
  expect(await runAudit()).toBeNull()
  expect(await auditAlerts()).toEqual([])
})

test('run_audit does nothing while another worker audits', async () => {
  await sql().begin(async (other) => {
    expect(await other`select work.run_audit() as breaches`).toEqual([{ breaches: 0 }])
    expect(await runAudit()).toBeNull()
  })
})

test('run_audit raises an alert for each check that fails, which says where', async () => {
  for (const event of [well.dead, well.delivered]) await setEvent(event, 'attempts = attempts + 1')
  await sql()`update supply.accounts set balance = balance + 1 where id = ${well.account}`
  expect(await runAudit()).toBe(4)
  const alerts = await auditAlerts()
  expect(alerts.map(({ cause }) => cause)).toEqual([
    'audit:balance_is_the_last_in_the_ledger',
    'audit:balance_is_the_sum_of_the_ledger',
    'audit:event_counts_its_attempts',
  ])
  const [run] = await sql()`select breaches, checks from supply.audit_runs`
  expect(run).toEqual({ breaches: 4, checks: alerts.map(({ cause }) => cause.replace('audit:', '')) })
  expect(alerts[2]?.message).toMatch(/^event .* counts 3 attempts in round 1, but has 2 \(and 1 more\)$/)
})

describe('an alert of the audit that was acknowledged', () => {
  const operator = operatorOf(database)
  const cause = 'audit:event_counts_its_attempts'
  const miscount = () => setEvent(well.delivered, 'attempts = 8')
  const nextRun = async () => {
    await sql()`update supply.audit_runs set ran_at = ran_at - interval '1 minute'`
    await sql()`update supply.audit_breaches set found_at = found_at - interval '1 minute', seen_at = seen_at - interval '1 minute'`
    await runAudit()
    await closeAlerts(sql())
  }
  const acknowledge = () => operator()`
    select ops.acknowledge(alert_id, 'a bug, it is being looked at') from ops.alerts where cause = ${cause} and state = 'open'`
  const states = async () =>
    (await operator()`select state from ops.alerts where cause = ${cause} order by hour`).map(({ state }) => state)
  const attention = () => operator()`select from ops.attention where subject in (
    select 'alert ' || alert_id from ops.alerts where cause = ${cause})`

  beforeEach(async () => {
    await sql()`update supply.events set attempts = (
      select count(*) from supply.delivery_attempts a where a.event_id = events.id and a.round = events.round)`
    await sql()`update supply.accounts a set balance = l.balance_after from supply.ledger l where l.account_id = a.id and l.seq = a.last_seq`
    await nextRun()
    await sql()`delete from supply.alerts where kind = 'audit'`
    await miscount()
    await nextRun()
    await acknowledge()
  })

  test('stays acknowledged while its row is found, with whatever figures, also in later hours', async () => {
    expect(await states()).toEqual(['acknowledged'])
    await nextRun()
    expect([await states(), await attention()]).toEqual([['acknowledged'], []])
    await setEvent(well.delivered, 'attempts = 7')
    await passAnHour(sql())
    await nextRun()
    expect([await states(), await attention()]).toEqual([['acknowledged'], []])
  })

  test('is open again when its check fails for something else', async () => {
    await setEvent(well.dead, 'attempts = 7')
    await nextRun()
    expect(await states()).toEqual(['open'])
    expect(await attention()).toHaveLength(1)
  })

  test('closes when its row is gone, and is open again when the row comes back', async () => {
    await setEvent(well.delivered, 'attempts = 2')
    await nextRun()
    expect(await states()).toEqual(['closed'])
    await miscount()
    await nextRun()
    expect(await states()).toEqual(['open'])
  })
})

test('run_audit may read whole tables on connections that otherwise never do', async () => {
  const session = await explainingSession(database.url, plansByKey)
  const { statements } = await session.explained((on) => on`select work.run_audit()`)
  await session.end()
  const kinds = statements.flatMap(({ nodes }) => nodes.map((node) => node['Node Type']))
  expect(kinds).toContain('Hash Join')
  expect(kinds).toContain('Seq Scan')
})
