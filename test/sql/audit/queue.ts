import { type Breach, loseJob, setEvent, setJob, setLine, well } from './scenario.ts'

export const queue: Breach[] = [
  { checks: ['open_line_has_a_job'], about: 'openLine', by: (sql) => loseJob(sql, well.openLine) },
  { checks: ['open_line_has_a_job'], about: 'stuckLine', by: (sql) => loseJob(sql, well.stuckLine) },
  {
    checks: ['open_line_has_a_job'],
    about: 'openLine',
    by: async (sql) => {
      await loseJob(sql, well.openLine)
      await setLine(sql, well.openLine, "claim_expires_at = now() - interval '1 second'")
    },
  },
  {
    checks: ['open_line_has_a_plan'],
    about: 'openLine',
    by: (sql) => setLine(sql, well.openLine, 'next_check_at = null'),
  },
  ...["claim_expires_at = 'infinity'", "next_check_at = now() + interval '3 hours'"].map(
    (change): Breach => ({
      checks: ['open_line_is_looked_at_soon'],
      about: 'openLine',
      by: (sql) => setLine(sql, well.openLine, change),
    }),
  ),
  {
    checks: ['open_line_is_looked_at_soon'],
    about: 'openLine',
    by: (sql) => setJob(sql, well.openLine, "run_at = 'infinity'"),
  },
  ...["next_attempt_at = 'infinity'", "next_attempt_at = now() + interval '26 hours'"].map(
    (change): Breach => ({
      checks: ['open_event_is_looked_at_soon'],
      about: 'waiting',
      by: (sql) => setEvent(sql, well.waiting, change),
    }),
  ),
  {
    checks: ['stuck_or_held_line_was_alerted'],
    about: 'heldLine',
    by: (sql) => sql`delete from supply.alerts where cause = 'line_held:first'`,
  },
  {
    checks: ['stuck_or_held_line_was_alerted'],
    about: 'stuckLine',
    by: (sql) => setLine(sql, well.stuckLine, "stuck_at = stuck_at - interval '1 hour'"),
  },
  { checks: ['open_event_has_a_job'], about: 'waiting', by: (sql) => loseJob(sql, well.waiting) },
  { checks: ['open_event_has_a_job'], about: 'ready', by: (sql) => loseJob(sql, well.ready) },
  {
    checks: ['queued_event_waits_for_a_slot'],
    about: 'ready',
    by: (sql) =>
      setEvent(
        sql,
        well.ready,
        "state = 'queued', claim_expires_at = null, next_attempt_at = now() - interval '2 minutes'",
      ),
  },
  {
    checks: ['slot_is_used'],
    about: 'ready',
    by: (sql) => setEvent(sql, well.ready, "claim_expires_at = now() - interval '6 minutes'"),
  },
  {
    checks: ['open_event_has_a_job'],
    about: 'sending',
    by: async (sql) => {
      await loseJob(sql, well.sending)
      await setEvent(sql, well.sending, "claim_expires_at = now() - interval '1 second'")
    },
  },
  {
    checks: ['lost_attempt_is_looked_at'],
    about: 'sending',
    by: async (sql) => {
      await setEvent(sql, well.sending, "claim_expires_at = now() - interval '1 second'")
      await sql`select core.enqueue('deliver_waiting', ${[well.sending]}, array[now() + interval '1 day'], 'deliver_webhook')`
    },
  },
  {
    checks: ['dead_letter_has_no_plan'],
    about: 'dead',
    by: (sql) =>
      sql`select core.enqueue('deliver_webhook', ${[well.dead]}, array[now() + interval '5 minutes'], 'deliver_webhook')`,
  },
  { checks: ['alert_has_a_job'], about: 'alert', by: (sql) => loseJob(sql, well.alert) },
  {
    checks: ['job_may_still_run'],
    about: 'openLine',
    by: (sql) => setJob(sql, well.openLine, 'attempts = max_attempts'),
  },
  {
    checks: ['job_does_not_fail_again_and_again'],
    about: 'openLine',
    by: (sql) => setJob(sql, well.openLine, "attempts = 10, last_error = 'boom'"),
  },
  {
    checks: ['locked_job_has_a_living_worker'],
    about: 'openLine',
    by: (sql) => setJob(sql, well.openLine, "locked_at = now() - interval '6 minutes', locked_by = 'nobody'"),
  },
]
