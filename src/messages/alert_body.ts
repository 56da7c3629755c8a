import type { AlertFormat } from '../config.ts'

/** A notification of the operators: an alert is firing, or it is resolved (`work.begin_notification`). */
export type Notification = {
  kind: string
  subject: string
  account_id: string | null
  /** Kind, subject and account in one text. */
  cause: string
  message: string
  count: number
  opened_at: Date
  first_at: Date
  closed_at: Date | null
  status: string
  is_notified: boolean
}

// Alertmanager counts an alert as resolved after some minutes without a repetition, unless it has an end.
const maxAlertMs = 365 * 86_400_000

/**
 * The body of a post that tells of an alert: `{"text": …}` for Slack, and for Alertmanager's API (`/api/v2/alerts`) a
 * list of one alert, whose labels are the same for the same cause. A firing one ends in a year there, for it is sent
 * once.
 */
export function alertBody(format: AlertFormat, notice: Notification, now: Date): object {
  return format === 'slack' ? { text: slackText(notice) } : [alertmanagerAlert(notice, now)]
}

function slackText(notice: Notification): string {
  const { cause, message, count, first_at: firstAt, closed_at: closedAt } = notice
  if (closedAt !== null && notice.is_notified) {
    return `resolved: ${cause} (open since ${notice.opened_at.toISOString()})`
  }
  const text = `${cause}: ${message} (${count} since ${firstAt.toISOString()})`
  return closedAt === null ? text : `${text}; resolved at ${closedAt.toISOString()}`
}

function alertmanagerAlert(notice: Notification, now: Date): object {
  const { kind: alertname, account_id: account, cause } = notice
  const subject = account === null ? notice.subject : `account ${account}`
  const endsAt = notice.closed_at ?? new Date(now.getTime() + maxAlertMs)
  return {
    labels: { alertname, service: 'supply-ordering-service', subject, cause },
    annotations: { summary: notice.message, count: String(notice.count) },
    startsAt: notice.opened_at.toISOString(),
    endsAt: endsAt.toISOString(),
  }
}
