import { describe, expect, test } from 'vitest'
import { closeAlerts } from '../../support/alerts.ts'
import { itemTests } from '../../support/item_tests.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { undone } from '../../support/sql/transactions.ts'

const { sql, operator, partner, order } = itemTests({ balance: 100, isolated: true })

const alerts = (kind: string) => operator()`select state, message, account_id from ops.alerts where kind = ${kind}`
const attention = async (what: string) => [
  ...(await operator()`select subject, detail, remedy from ops.attention where what = ${what}`),
]

test('a low balance is an alert of its account, once, which ends by itself', async () => {
  const account = partner().accountId
  await closeAlerts(sql())
  expect(await alerts('low_balance')).toEqual([])
  await operator()`select ops.set_low_balance_threshold(${account}, 95)`
  await order()
  for (let n = 0; n < 3; n += 1) await closeAlerts(sql())
  const [alert, ...others] = await alerts('low_balance')
  expect(others).toEqual([])
  expect(alert).toMatchObject({ state: 'open', account_id: `${account}` })
  expect(alert?.message).toMatch(/ has [0-9.]+ RUB, its threshold is 95.00$/)
  expect(await attention('balance low')).toHaveLength(1)
  await operator()`select ops.deposit(${account}, 1000, 'a payment')`
  await closeAlerts(sql())
  expect(await alerts('low_balance')).toMatchObject([{ state: 'closed' }])
  expect(await attention('balance low')).toEqual([])
})

test('an alert webhook that accepts nothing is a line of ops.attention', async () => {
  await sql()`select core.raise_alerts(array[row('audit', 'a_check', null, 'a message')::supply.occurrence])`
  await closeAlerts(sql())
  const fails = (attempts: number) => sql()`
    update graphile_worker._private_jobs set attempts = ${attempts}, last_error = 'the alert webhook answered 500'`
  await fails(2)
  expect(await attention('alerts not sent')).toEqual([])
  await fails(3)
  expect(await attention('alerts not sent')).toEqual([
    {
      subject: 'ALERT_WEBHOOK_URL',
      detail: '1 alerts were not accepted by ALERT_WEBHOOK_URL: the alert webhook answered 500',
      remedy: 'select * from ops.alerts where sent_at is null',
    },
  ])
})

describe('what slows the database', () => {
  test('is in the metrics: the oldest transaction, slots, dead rows of the queue, notifications', async () => {
    await operator().begin(async (tx) => {
      await tx`select from ops.accounts`
      await tx`select txid_current()`
      const [gauges] = await sql()`select * from work.gauges()`
      expect(gauges?.oldest_snapshot_seconds).toBeGreaterThan(0)
      expect(gauges).toMatchObject({ slot_behind_bytes: 0 })
      // All databases of the server share it.
      expect(gauges?.notify_queue_filled).toBeLessThan(0.1)
      expect(gauges?.jobs_dead_rows).toBeGreaterThanOrEqual(0)
    })
  })

  test('raises an alert that names it, when it is beyond its limit', async () => {
    await sql()`select pg_create_physical_replication_slot('reader_that_is_gone', true)`
    await operator()
      .begin(async (idle) => {
        const pid = await oneValue<number>(idle`select pg_backend_pid() as pid, txid_current()`)
        const messages = await undone(sql(), async (tx) => {
          // The limits of the view are lowered, for nobody can wait for a gigabyte of WAL.
          const view = await oneValue<string>(tx`select pg_get_viewdef('core.problems')`)
          const limits: [string, string][] = [
            ["'00:05:00'::interval", "'0'::interval"],
            ['1000000000', '-1'],
            ['200000', '-1'],
            ['(0.1)::double precision', '(-1)::double precision'],
          ]
          const lowered = limits.reduce((text, [limit, low]) => {
            expect(text).toContain(limit)
            return text.replaceAll(limit, low)
          }, view)
          await tx.unsafe(`create or replace view core.problems as ${lowered}`)
          await tx`select work.compare_alerts()`
          return await tx`select kind, subject, message from supply.occurrences order by kind`
        })
        expect(messages.map(({ kind }) => kind)).toEqual(
          expect.arrayContaining(['old_snapshot', 'slot_behind', 'jobs_growing', 'notify_queue']),
        )
        const session = messages.find(({ subject }) => subject === `session ${pid}`)
        expect(session?.message).toContain(`login ${operator.login}`)
        expect(messages.find(({ kind }) => kind === 'slot_behind')?.message).toContain('reader_that_is_gone')
      })
      .finally(() => sql()`select pg_drop_replication_slot('reader_that_is_gone')`)
  })
})
