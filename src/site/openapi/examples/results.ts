import { answer, named } from './named.ts'
import { code, endedAt, keyItem, order, topUp } from './order.ts'

const [pearls, delivered] = [topUp, keyItem].map(({ errorMessage, completedAt, ...item }) => ({
  ...item,
  status: 'completed',
}))

const partial = {
  seq: 42,
  orderCode: code,
  externalOrderId: order.externalOrderId,
  status: 'failed',
  outcome: 'partial',
  totalAmount: order.totalAmount,
  refundedAmount: 89,
  currency: 'RUB',
  completedAt: endedAt,
  items: [{ ...pearls, status: 'failed', refundedAmount: 89, errorCode: 'PLAYER_NOT_FOUND' }, delivered],
}

const full = {
  ...partial,
  ...{ seq: 43, orderCode: 'ord_7a1e5b0c9d8f4e2f8a6b3c2d1e0f9a8b', externalOrderId: 'shop-1002' },
  ...{ status: 'completed', outcome: 'full', totalAmount: 89, refundedAmount: 0 },
  items: [{ ...pearls, id: 'd1f3a0c2-5b47-4e69-8a1c-7e90b2d4c6f8' }],
}

export const resultPages = {
  some: named(
    'Two results after number 41',
    answer({ results: [partial, full], nextAfter: 43, lastSeq: 43, hasMore: false }),
  ),
  none: named('No result yet', answer({ results: [], nextAfter: 43, lastSeq: 43, hasMore: false })),
}
