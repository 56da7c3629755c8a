import type { Task } from 'graphile-worker'
import { request } from 'undici'
import { clock } from '../src/clock.ts'
import type { AlertFormat } from '../src/config.ts'
import type { Database } from '../src/database/client.ts'
import type { Log } from '../src/log.ts'
import { alertBody, type Notification } from '../src/messages/alert_body.ts'
import { jobId } from '../src/messages/job_id.ts'

export type AlertOperatorsOptions = {
  db: Database
  log: Log
  /** The URL and the format of posts. Without a URL, alerts are only logged. */
  webhook: { url: string | undefined; format: AlertFormat }
}

const timeoutMs = 10_000

/**
 * Makes the task that notifies the operators that an alert is firing, or that it is resolved: a record in the log, and
 * a post to the alert webhook where one is set. It throws if the webhook does not accept the post: the queue tries
 * again.
 */
export function createAlertOperators({ db, log, webhook }: AlertOperatorsOptions): Task {
  // A post that is tried again writes no second log record.
  const logged = new Set<string>()

  return async (payload) => {
    const alert_id = jobId(payload)
    const next = async () => (await db.call('work.begin_notification', { alert_id }))[0]
    for (let notice = await next(); notice !== undefined; notice = await next()) {
      const key = `${alert_id} ${notice.is_notified ? notice.status : 'new'}`
      if (!logged.has(key)) writeLog(log, notice)
      logged.add(key)
      if (webhook.url !== undefined) await post(webhook.url, alertBody(webhook.format, notice, clock.now()))
      await db.call('work.finish_notification', { alert_id, status: notice.status })
      logged.delete(key)
    }
  }
}

function writeLog(log: Log, { status, is_notified: isNotified, ...alert }: Notification): void {
  const record = { alert: alert.cause, count: alert.count, since: alert.first_at }
  if (!isNotified) log.error(record, alert.message)
  if (status === 'resolved') log.info(record, 'the cause of the alert is gone')
}

async function post(url: string, body: object): Promise<void> {
  const response = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  })
  await response.body.dump()
  if (response.statusCode < 200 || response.statusCode > 299) {
    throw new Error(`the alert webhook answered ${response.statusCode}`)
  }
}
