import { type Breach, setAttempt, setEvent, well } from './scenario.ts'

export const deliveries: Breach[] = [
  {
    checks: ['round_has_nine_attempts_at_most'],
    about: 'dead',
    by: async (sql) => {
      await sql`alter table supply.delivery_attempts drop constraint delivery_attempts_attempt_check`
      await sql`alter table supply.events drop constraint events_attempts_check`
      await setEvent(sql, well.dead, 'attempts = 10')
      await sql`
        insert into supply.delivery_attempts (event_id, round, attempt, lease_token, finished_at, outcome)
        select ${well.dead}, 1, n, gen_random_uuid(), now(), 'retry' from generate_series(3, 10) n`
    },
  },
  {
    checks: ['attempts_are_numbered_without_a_gap'],
    about: 'dead',
    by: (sql) => setAttempt(sql, well.dead, 2, 'attempt = 3'),
  },
  {
    checks: ['event_counts_its_attempts'],
    about: 'dead',
    by: (sql) => setEvent(sql, well.dead, 'attempts = attempts + 1'),
  },
  {
    checks: ['round_belongs_to_its_event'],
    about: 'dead',
    by: (sql) => sql`
      insert into supply.delivery_attempts (event_id, round, attempt, lease_token, finished_at, outcome)
      values (${well.dead}, 2, 1, gen_random_uuid(), now(), 'retry')`,
  },
  {
    checks: ['only_a_sending_event_has_an_attempt_under_way'],
    about: 'dead',
    by: (sql) => setAttempt(sql, well.dead, 2, 'finished_at = null'),
  },
  {
    checks: ['only_a_sending_event_has_an_attempt_under_way'],
    about: 'sending',
    by: (sql) => setAttempt(sql, well.sending, 1, 'finished_at = now()'),
  },
  {
    checks: ['delivered_event_was_delivered'],
    about: 'delivered',
    by: (sql) => setAttempt(sql, well.delivered, 2, "outcome = 'retry'"),
  },
  {
    checks: ['held_event_belongs_to_an_open_recovery'],
    about: 'waiting',
    by: (sql) => setEvent(sql, well.waiting, "state = 'held', next_attempt_at = null"),
  },
]
