import { request } from 'undici'
import type { AlertFormat } from '../config.ts'
import type { Database } from '../database/client.ts'
import type { Log } from '../log.ts'
import { alertBody, type Notification } from './alert_body.ts'

/**
 * Tells operators of alerts: an `error` line in the log when one fires, an `info` line when it is resolved, and a POST
 * to `webhook.url`, where it is set, in its format.
 */
export function createAlerts(
  db: Database,
  log: Log,
  webhook: { url: string | undefined; format: AlertFormat },
) {
  // What was logged: a post that is tried again writes no second log record.
  const logged = new Set<string>()
  return {
    /** What is to be told, or null if the operators know all. */
    begin: async (alertId: string): Promise<Notification | null> =>
      (await db.call('work.begin_notification', { alert_id: alertId }))[0] ?? null,

    /** Throws if the alert webhook does not answer with 2xx within 10 s. */
    send: async (alertId: string, notice: Notification): Promise<void> => {
      const key = logKey(alertId, notice)
      if (!logged.has(key)) {
        writeLog(log, notice)
        logged.add(key)
      }
      if (webhook.url === undefined) return
      const response = await request(webhook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alertBody(webhook.format, notice, new Date())),
        signal: AbortSignal.timeout(10_000),
      })
      await response.body.dump()
      if (response.statusCode < 200 || response.statusCode > 299) {
        throw new Error(`the alert webhook answered ${response.statusCode}`)
      }
    },

    /** Notes that the operators were told. */
    finish: async (alertId: string, notice: Notification): Promise<void> => {
      await db.call('work.finish_notification', { alert_id: alertId, status: notice.status })
      logged.delete(logKey(alertId, notice))
    },
  }
}

function logKey(alertId: string, { status, is_told: isTold }: Notification): string {
  return `${alertId} ${isTold ? status : 'new'}`
}

function writeLog(log: Log, { status, is_told: isTold, ...alert }: Notification): void {
  const record = { alert: alert.cause, count: alert.count, since: alert.first_at }
  if (!isTold) log.error(record, alert.message)
  if (status === 'resolved') log.info(record, 'the cause of the alert is gone')
}
