import { type Breach, loseJob, setEvent, setItem, setJob, well } from './scenario.ts'

export const queue: Breach[] = [
  { checks: ['open_item_has_a_job'], about: 'openItem', by: (sql) => loseJob(sql, well.openItem) },
  { checks: ['open_item_has_a_job'], about: 'stuckItem', by: (sql) => loseJob(sql, well.stuckItem) },
  {
    checks: ['open_item_has_a_job'],
    about: 'openItem',
    by: async (sql) => {
      await loseJob(sql, well.openItem)
      await setItem(sql, well.openItem, "lease_expires_at = now() - interval '91 seconds'")
    },
  },
  {
    checks: ['open_item_has_a_plan'],
    about: 'openItem',
    by: (sql) => setItem(sql, well.openItem, 'next_check_at = null'),
  },
  ...["lease_expires_at = 'infinity'", "next_check_at = now() + interval '3 hours'"].map(
    (change): Breach => ({
      checks: ['open_item_is_looked_at_soon'],
      about: 'openItem',
      by: (sql) => setItem(sql, well.openItem, change),
    }),
  ),
  {
    checks: ['open_item_is_looked_at_soon'],
    about: 'openItem',
    by: async (sql) => {
      await setItem(sql, well.openItem, 'next_check_at = now()')
      await setJob(sql, well.openItem, "run_at = 'infinity'")
    },
  },
  ...["next_attempt_at = 'infinity'", "next_attempt_at = now() + interval '26 hours'"].map(
    (change): Breach => ({
      checks: ['open_event_is_looked_at_soon'],
      about: 'waiting',
      by: (sql) => setEvent(sql, well.waiting, change),
    }),
  ),
  {
    checks: ['stuck_or_held_item_was_alerted'],
    about: 'heldItem',
    by: (sql) => sql`delete from supply.alerts where cause = 'item_held:first'`,
  },
  {
    checks: ['stuck_or_held_item_was_alerted'],
    about: 'stuckItem',
    by: (sql) => setItem(sql, well.stuckItem, "stuck_at = stuck_at - interval '1 hour'"),
  },
  { checks: ['open_event_has_a_job'], about: 'waiting', by: (sql) => loseJob(sql, well.waiting) },
  {
    checks: ['queued_event_waits_for_a_slot'],
    about: 'ready',
    by: (sql) =>
      setEvent(
        sql,
        well.ready,
        "state = 'queued', lease_expires_at = null, next_attempt_at = now() - interval '2 minutes'",
      ),
  },
  {
    checks: ['slot_is_used'],
    about: 'ready',
    by: (sql) => setEvent(sql, well.ready, "lease_expires_at = now() - interval '51 s'"),
  },
  {
    checks: ['lost_attempt_is_looked_at'],
    about: 'sending',
    by: async (sql) => {
      await setEvent(sql, well.sending, "lease_expires_at = now() - interval '1 second'")
      await sql`select core.enqueue('deliver_waiting', ${[well.sending]}, array[now() + interval '1 day'], 'deliver_webhook')`
    },
  },
  {
    checks: ['attempt_ends_with_its_lease'],
    about: 'sending',
    by: (sql) => setEvent(sql, well.sending, "lease_expires_at = now() - interval '51 s'"),
  },
  {
    checks: ['overdue_event_is_looked_at'],
    about: 'waiting',
    by: async (sql) => {
      await setEvent(sql, well.waiting, "next_attempt_at = now() - interval '31 s'")
      await setJob(sql, well.waiting, "run_at = now() + interval '11 minutes'")
    },
  },
  ...['next_check_at', 'lease_expires_at'].map(
    (column): Breach => ({
      checks: ['overdue_item_is_looked_at'],
      about: 'openItem',
      by: async (sql) => {
        await setItem(sql, well.openItem, `${column} = now() - interval '31 s'`)
        await setJob(sql, well.openItem, "run_at = now() + interval '11 minutes'")
      },
    }),
  ),
  {
    checks: ['dead_letter_has_no_plan'],
    about: 'dead',
    by: (sql) =>
      sql`select core.enqueue('deliver_webhook', ${[well.dead]}, array[now() + interval '5 minutes'], 'deliver_webhook')`,
  },
  { checks: ['alert_has_a_job'], about: 'alert', by: (sql) => loseJob(sql, well.alert) },
  {
    checks: ['job_may_still_run'],
    about: 'openItem',
    by: (sql) => setJob(sql, well.openItem, 'attempts = max_attempts'),
  },
  {
    checks: ['job_does_not_fail_again_and_again'],
    about: 'openItem',
    by: (sql) => setJob(sql, well.openItem, "attempts = 10, last_error = 'boom'"),
  },
  {
    checks: ['locked_job_has_a_living_worker'],
    about: 'openItem',
    by: (sql) => setJob(sql, well.openItem, "locked_at = now() - interval '6 minutes', locked_by = 'nobody'"),
  },
  {
    checks: ['locked_job_is_known_to_its_worker'],
    about: 'openItem',
    by: async (sql) => {
      await sql`select work.register_pool('pool-1')`
      await setJob(sql, well.openItem, "locked_at = now() - interval '31 s', locked_by = 'pool-1'")
      await sql`select * from work.compare_jobs('{pool-1}', '{}', '{}', '{}')`
    },
  },
]
