import { answers, bodies } from './bodies.ts'
import { code, dead, endedAt, eventId, keyItem, keys, order, placedAt, reason, topUp } from './orders.ts'

/* Webhooks */

const envelope = { event_id: eventId, event_type: 'order.completed', occurred_at: endedAt }
const aboutOrder = { orderCode: code, externalOrderId: order.externalOrderId, totalAmount: order.totalAmount }

export const completedEvents = bodies({
  'An order of a top-up and two keys': {
    ...envelope,
    data: {
      ...aboutOrder,
      status: 'completed',
      items: [
        { productName: topUp.productName, amount: 1, price: topUp.price },
        { productName: keyItem.productName, amount: 2, price: keyItem.price, cdKeys: keys },
      ],
      completedAt: endedAt,
    },
  },
})

export const failedEvents = bodies({
  'An order of which nothing was delivered': {
    ...envelope,
    event_type: 'order.failed',
    data: { ...aboutOrder, status: 'failed', error: 'ORDER_FAILED', reason, completedAt: endedAt },
  },
})

/* Events and their redelivery */

const deadEvent = {
  ...dead,
  eventType: 'order.completed',
  orderCode: code,
  externalOrderId: order.externalOrderId,
  callbackUrl: order.callbackUrl,
  createdAt: endedAt,
}

export const events = answers({ 'A dead letter': deadEvent })

export const eventPages = answers({
  'One dead letter': { events: [deadEvent], pagination: { limit: 20, nextCursor: null, hasMore: false } },
})

export const redeliveryRequests = bodies({ 'To another address': { callbackUrl: order.callbackUrl } })

export const redeliveries = answers({
  'A new round': { ...dead, state: 'waiting', attempts: 0, nextAttemptAt: '2026-03-02T10:00:00.000Z' },
})

export const redeliverDeadRequests = bodies({
  'Count them first': { state: 'dead', since: placedAt, dryRun: true },
  'Redeliver them': { state: 'dead', since: placedAt },
})

export const redeliveryCounts = answers({ 'Three events': { count: 3 } })

const entry = { itemId: null, amount: null, round: null, attempt: null, status: null, error: null, nextAttemptAt: null }
const delivery = { ...entry, round: 1, attempt: 1 }

export const timelines = answers({
  'Completed, webhook in dead letters': {
    code,
    entries: [
      { ...entry, at: placedAt, what: 'placed' },
      { ...entry, at: placedAt, what: 'charged', amount: order.totalAmount },
      { ...entry, at: '2026-03-02T09:41:02.130Z', what: 'sent_to_supplier', itemId: topUp.id },
      { ...entry, at: endedAt, what: 'item_completed', itemId: topUp.id },
      { ...entry, at: endedAt, what: 'order_completed' },
      { ...entry, at: endedAt, what: 'event_created' },
      { ...delivery, at: '2026-03-02T09:41:07.530Z', what: 'delivery_attempt', status: 404, error: 'http_404' },
      { ...delivery, at: '2026-03-02T09:41:07.812Z', what: 'given_up' },
    ],
  },
})

/* Simulated events */

export const simulationRequests = bodies({
  'An order.completed': { callbackUrl: order.callbackUrl, eventType: 'order.completed' },
})

export const simulations = answers({ 'The event is queued': { eventId } })

export const simulationStates = answers({
  'A retry is due': {
    eventId,
    eventType: 'order.completed',
    orderCode: 'sample_3c9a1f527d644b0e8a271f0e9d8c7b6a',
    callbackUrl: order.callbackUrl,
    state: 'waiting',
    deadReason: null,
    nextAttemptAt: '2026-03-02T09:42:07.812Z',
    createdAt: endedAt,
    deliveredAt: null,
    deadAt: null,
    attempts: [
      {
        attempt: 1,
        startedAt: '2026-03-02T09:41:07.530Z',
        finishedAt: '2026-03-02T09:41:07.812Z',
        outcome: 'retry',
        statusCode: 503,
        error: null,
        retryAfterSeconds: null,
        nextAttemptAt: '2026-03-02T09:42:07.812Z',
      },
    ],
  },
})

/* Suppliers */

export const supplierResults = bodies({
  'Two keys': {
    reference: keyItem.id,
    status: 'completed',
    codes: keys.map((key) => key.code),
    supplierOrderId: 'S-100234',
  },
  'A refusal': { reference: topUp.id, status: 'failed', errorCode: 'PLAYER_NOT_FOUND', reason },
})
