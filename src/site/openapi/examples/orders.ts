import { deadEvent } from './deliveries.ts'
import { answer, named } from './named.ts'
import { code, completedOrder, failedOrder, order, partialOrder } from './order.ts'

export const orderRequests = {
  topUp: named('A top-up', {
    externalOrderId: 'shop-1000',
    items: [{ productId: 101, deliveryData: { gameUserId: '123456789' } }],
  }),
  several: named('A top-up and two keys, with a webhook and a cap', {
    externalOrderId: order.externalOrderId,
    callbackUrl: order.callbackUrl,
    maxTotal: 1700,
    items: [
      { productId: 101, deliveryData: { gameUserId: '123456789' } },
      { productId: 112, quantity: 2, maxPrice: 800 },
    ],
  }),
}

export const orders = {
  processing: named('Under way', answer(order)),
  completed: named('Delivered', answer(completedOrder)),
  partial: named('Delivered in part', answer(partialOrder)),
  failed: named('Not delivered', answer(failedOrder)),
}

export const readOrders = {
  processing: named('Under way', answer({ ...order, deliveries: null })),
  completed: named(
    'Delivered, and told',
    answer({
      ...completedOrder,
      deliveries: { ...deadEvent, state: 'delivered', attempts: 1, lastStatus: 200, lastError: null },
    }),
  ),
  partial: named('Delivered in part: no event', answer({ ...partialOrder, deliveries: null })),
  failed: named(
    'Not delivered, and the webhook refused for good',
    answer({ ...failedOrder, deliveries: deadEvent }),
  ),
}

const withoutKeys = (item: object) => ({ ...item, cdKeys: undefined })

export const orderPages = {
  first: named(
    'A first page',
    answer({
      orders: [{ ...completedOrder, items: completedOrder.items.map(withoutKeys) }],
      pagination: { limit: 1, nextCursor: code, hasMore: true },
    }),
  ),
  numbered: named(
    'A page by its number',
    answer({ orders: [], pagination: { limit: 20, nextCursor: null, hasMore: false, total: 0, asOf: '1' } }),
  ),
}
