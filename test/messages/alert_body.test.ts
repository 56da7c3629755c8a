import { expect, test } from 'vitest'
import { alertBody, type Notification } from '../../src/messages/alert_body.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 12, minute))
const firing: Notification = {
  ...{ kind: 'dead_letter', subject: 'http_4xx', account_id: '7', cause: 'dead_letter:http_4xx:account 7' },
  ...{ status: 'firing', is_notified: false, message: 'event x is dead' },
  ...{ count: 3, first_at: at(1), opened_at: at(5), closed_at: null },
}
const resolved = { ...firing, status: 'resolved', is_notified: true, closed_at: at(20) }
const now = at(30)

test.each([
  ['firing', firing, 'dead_letter:http_4xx:account 7: event x is dead (3 since 2026-05-01T12:01:00.000Z)'],
  ['resolved', resolved, 'resolved: dead_letter:http_4xx:account 7 (open since 2026-05-01T12:05:00.000Z)'],
  [
    'resolved before anybody was told of it',
    { ...resolved, is_notified: false },
    'dead_letter:http_4xx:account 7: event x is dead (3 since 2026-05-01T12:01:00.000Z); resolved at 2026-05-01T12:20:00.000Z',
  ],
])('for Slack an alert that is %s is a line of text', (_, notice, text) => {
  expect(alertBody('slack', notice, now)).toEqual({ text })
})

test('for Alertmanager an alert has an end: in a year, and the time of its end once it is resolved', () => {
  const alert = {
    labels: {
      ...{ alertname: 'dead_letter', service: 'supply-ordering-service', subject: 'account 7' },
      cause: 'dead_letter:http_4xx:account 7',
    },
    annotations: { summary: 'event x is dead', count: '3' },
    startsAt: '2026-05-01T12:05:00.000Z',
  }
  expect(alertBody('alertmanager', firing, now)).toEqual([{ ...alert, endsAt: '2027-05-01T12:30:00.000Z' }])
  expect(alertBody('alertmanager', resolved, now)).toEqual([{ ...alert, endsAt: '2026-05-01T12:20:00.000Z' }])
})

test('for Alertmanager an alert about no account has its own subject', () => {
  const stuck = { kind: 'item_stuck', subject: 'first', account_id: null, cause: 'item_stuck:first' }
  expect(alertBody('alertmanager', { ...firing, ...stuck }, now)).toMatchObject([
    { labels: { alertname: 'item_stuck', subject: 'first', cause: 'item_stuck:first' } },
  ])
})
