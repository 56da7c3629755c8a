import type postgres from 'postgres'
import { oneValue } from './sql/one_value.ts'

/** Counts what happened in the alerts, as a worker does each second. */
export const collectAlerts = (sql: postgres.Sql) => sql`select work.collect_alerts()`

/** Counts what happened, and lets all alerts have been sent. */
export async function sendAlerts(sql: postgres.Sql): Promise<void> {
  await collectAlerts(sql)
  await sql`update supply.alerts set sent_at = coalesce(sent_at, now())`
}

/** Lets all alerts be those of the hour before, so that what happens now is in another one. */
export async function passAnHour(sql: postgres.Sql): Promise<void> {
  await collectAlerts(sql)
  const id = sql`core.alert_id(a.kind, a.subject, a.account_id, a.hour - interval '1 hour')`
  await sql`update supply.acknowledgements l set alert_id = ${id} from supply.alerts a where a.id = l.alert_id`
  await sql`update supply.alerts a set id = ${id}, hour = a.hour - interval '1 hour'`
}

/** Counts what happened, and closes the alerts whose cause is gone, as a worker does every 5 s. Returns how many. */
export async function closeAlerts(sql: postgres.Sql): Promise<number> {
  await collectAlerts(sql)
  return oneValue(sql`select work.compare_alerts()`)
}
