import { answer, named } from './named.ts'
import { code, endedAt, keyItem, keys, order, reason, topUp } from './order.ts'

const event = {
  event_id: '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a',
  event_type: 'order.completed',
  occurred_at: endedAt,
}

const aboutOrder = { orderCode: code, externalOrderId: order.externalOrderId, totalAmount: order.totalAmount }

export const completedEvents = {
  completed: named('An order of a top-up and two keys', {
    ...event,
    data: {
      ...aboutOrder,
      status: 'completed',
      items: [
        { productName: topUp.productName, amount: 1, price: 89 },
        { productName: keyItem.productName, amount: 2, price: 790, cdKeys: keys },
      ],
      completedAt: endedAt,
    },
  }),
}

export const failedEvents = {
  failed: named('An order of which nothing was delivered', {
    ...event,
    event_type: 'order.failed',
    data: { ...aboutOrder, status: 'failed', error: 'ORDER_FAILED', reason, completedAt: endedAt },
  }),
}

export const supplierResults = {
  completed: named('Two keys', {
    reference: keyItem.id,
    status: 'completed',
    codes: keys.map((key) => key.code),
    supplierOrderId: 'S-100234',
  }),
  failed: named('A refusal', {
    reference: topUp.id,
    status: 'failed',
    errorCode: 'PLAYER_NOT_FOUND',
    reason,
  }),
}

export const simulationRequests = {
  completed: named('A sample of order.completed', {
    callbackUrl: order.callbackUrl,
    eventType: 'order.completed',
  }),
}

export const simulations = { sent: named('On its way', answer({ eventId: event.event_id })) }

export const simulationStates = {
  waiting: named(
    'Refused once, to be tried again',
    answer({
      eventId: event.event_id,
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
    }),
  ),
}
