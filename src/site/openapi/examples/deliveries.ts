import { answer, named } from './named.ts'
import { code, endedAt, order, placedAt, topUp } from './order.ts'

const eventId = '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a'

/** The event about an order that its receiver refused for good. */
export const deadEvent = {
  eventId,
  state: 'dead',
  attempts: 1,
  nextAttemptAt: null,
  lastStatus: 404,
  lastError: 'http_404',
}

export const redeliveries = {
  started: named(
    'A new round',
    answer({ ...deadEvent, state: 'waiting', attempts: 0, nextAttemptAt: '2026-03-02T10:00:00.000Z' }),
  ),
}

const listed = {
  ...deadEvent,
  eventType: 'order.completed',
  orderCode: code,
  externalOrderId: order.externalOrderId,
  callbackUrl: 'https://hooks.shop.example/supply',
  createdAt: endedAt,
}

export const events = { dead: named('A dead event', answer(listed)) }

export const eventPages = {
  dead: named(
    'One dead event',
    answer({ events: [listed], pagination: { limit: 20, nextCursor: null, hasMore: false } }),
  ),
}

export const redeliveryRequests = {
  elsewhere: named('To another address', { callbackUrl: 'https://hooks.shop.example/supply' }),
}

export const redeliverDeadRequests = {
  counted: named('Count what died in an outage', { state: 'dead', since: placedAt, dryRun: true }),
  sent: named('Send it again', { state: 'dead', since: placedAt }),
}

export const redeliveryCounts = { three: named('Three events', answer({ count: 3 })) }

const nothing = {
  ...{ itemId: null, amount: null, round: null, attempt: null },
  ...{ status: null, error: null, nextAttemptAt: null },
}
const first = { ...nothing, round: 1, attempt: 1 }

export const timelines = {
  dead: named(
    'Delivered, and the webhook refused for good',
    answer({
      code,
      entries: [
        { ...nothing, at: placedAt, what: 'placed' },
        { ...nothing, at: placedAt, what: 'charged', amount: order.totalAmount },
        { ...nothing, at: '2026-03-02T09:41:02.130Z', what: 'sent_to_supplier', itemId: topUp.id },
        { ...nothing, at: endedAt, what: 'item_completed', itemId: topUp.id },
        { ...nothing, at: endedAt, what: 'order_completed' },
        { ...nothing, at: endedAt, what: 'event_created' },
        {
          ...first,
          at: '2026-03-02T09:41:07.530Z',
          what: 'delivery_attempt',
          status: 404,
          error: 'http_404',
        },
        { ...first, at: '2026-03-02T09:41:07.812Z', what: 'given_up' },
      ],
    }),
  ),
}
