import { signature } from '../../../src/messages/sign.ts'
import type { SupplierEvent } from '../../../src/suppliers/adapter.ts'
import { createB2bAdapter } from '../../../src/suppliers/b2b/adapter.ts'
import type { StandInAnswer } from '../../support/servers/supplier_stand_in.ts'
import { refusal, startUpstream, type UpstreamPlan } from '../../support/servers/upstream_stand_in.ts'
import type { ConformanceDriver, Plan, TestSupplier } from './driver.ts'

/** The protocol `b2b`: an upstream of this service's own family. */
export const b2bDriver: ConformanceDriver = {
  protocol: 'b2b',
  create: createB2bAdapter,
  startSupplier,
  call: { sku: '112', unitCost: '790.00', currency: 'RUB', deliveryData: {} },
  foreign: {
    'names another reference': changeOrders((order) => ({ ...order, externalOrderId: crypto.randomUUID() })),
    'has another product': changeItems((item) => ({ ...item, productId: 113 })),
    'has another quantity': changeItems((item) => ({ ...item, amount: 3 })),
    'is in another currency': changeOrders((order) => ({ ...order, currency: 'USD' })),
  },
  outcomes: {
    refused: { outcome: 'answered', status: 'failed', errorCode: 'DELIVERY_DATA_INVALID' },
    balanceSpent: { outcome: 'not_placed', cause: 'balance' },
    tokenExpired: { outcome: 'not_placed', cause: 'credentials' },
    byStatus: { 429: { outcome: 'not_placed', cause: 'busy' } },
  },
  events: {
    about: (reference, { secret }) => orderEvent({ secret, data: { externalOrderId: reference } }),
    other: ({ secret }) => orderEvent({ secret, data: { externalOrderId: 'shop-1001' } }),
  },
}

type EventOptions = { secret: string; type?: string; data: object; now?: Date; signedAt?: Date }

/** A webhook about an order as the family sends it. */
export function orderEvent({ secret, type = 'order.completed', data, ...times }: EventOptions): SupplierEvent {
  const { now = new Date(), signedAt = now } = times
  const eventId = crypto.randomUUID()
  const event = { event_id: eventId, event_type: type, occurred_at: now.toISOString(), data }
  const rawBody = Buffer.from(JSON.stringify(event))
  const timestamp = String(Math.floor(signedAt.getTime() / 1000))
  const headers = {
    'x-webhook-signature': signature(secret, timestamp, rawBody),
    'x-webhook-timestamp': timestamp,
    'x-idempotency-key': eventId,
    'x-webhook-event': type,
  }
  return { headers, rawBody, secret, now }
}

async function startSupplier(): Promise<TestSupplier> {
  const { apiKey: token, changeKey, plan, list, ...upstream } = await startUpstream()
  return {
    ...upstream,
    token,
    secret: '5'.repeat(64),
    plan: (reference, wanted) => plan(reference, planned(wanted)),
    changeToken: changeKey,
    list,
    hidesStock: true,
  }
}

function planned(plan: Plan): UpstreamPlan {
  if (plan === 'refuse') return refusal(400, 'DELIVERY_DATA_INVALID', 'Delivery data is invalid')
  if (plan === 'out of stock') return refusal(422, 'PRODUCT_UNAVAILABLE', 'Product is unavailable')
  if (plan === 'balance spent') return refusal(402, 'INSUFFICIENT_BALANCE', 'Insufficient balance')
  return plan
}

type Change = (value: Record<string, unknown>) => object

/** Changes each order of an answer, be it the answer itself or in a list. */
export function changeOrders(change: Change): (answer: StandInAnswer) => StandInAnswer {
  return ({ json, ...answer }) => {
    const { data, ...envelope } = json as { data: Record<string, unknown> }
    const orders = Array.isArray(data.orders) && !('status' in data) ? data.orders.map(change) : undefined
    const changed = orders === undefined ? change(data) : { ...data, orders }
    return { ...answer, json: { ...envelope, data: changed } }
  }
}

/** Changes each item of each order of an answer. */
export function changeItems(change: Change): (answer: StandInAnswer) => StandInAnswer {
  return changeOrders((order) => ({ ...order, items: (order.items as Record<string, unknown>[]).map(change) }))
}
