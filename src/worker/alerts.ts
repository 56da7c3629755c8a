import { request } from 'undici'
import type { Database, Functions } from '../database/client.ts'
import type { Log } from '../log.ts'

export type Alert = Functions['work.begin_alert']['result'][number]

/**
 * Sends alerts to operators: an `error` line in the log, and where `webhookUrl` is set a POST of `{"text": …}` to it.
 */
export function createAlerts(db: Database, log: Log, webhookUrl: string | undefined) {
  // The alerts that were logged: a post that is tried again writes no second log record.
  const logged = new Set<string>()
  return {
    /** The alert, or null if it was sent already. */
    begin: async (alertId: string): Promise<Alert | null> =>
      (await db.call('work.begin_alert', { alert_id: alertId }))[0] ?? null,

    /** Throws if the alert webhook does not answer with 2xx within 10 s. */
    send: async (alertId: string, alert: Alert): Promise<void> => {
      if (!logged.has(alertId)) {
        log.error({ alert: alert.cause, count: alert.count, since: alert.first_at }, alert.message)
        logged.add(alertId)
      }
      if (webhookUrl === undefined) return
      const response = await request(webhookUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          text: `${alert.cause}: ${alert.message} (${alert.count} since ${alert.first_at.toISOString()})`,
        }),
        signal: AbortSignal.timeout(10_000),
      })
      await response.body.dump()
      if (response.statusCode < 200 || response.statusCode > 299) {
        throw new Error(`the alert webhook answered ${response.statusCode}`)
      }
    },

    /** Notes that the alert was sent. */
    finish: async (alertId: string): Promise<void> => {
      await db.call('work.finish_alert', { alert_id: alertId })
      logged.delete(alertId)
    },
  }
}
