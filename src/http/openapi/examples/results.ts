import { answer, named } from './named.ts'
import { code, endedAt, order } from './order.ts'

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
}

const full = {
  ...partial,
  ...{ seq: 43, orderCode: 'ord_7a1e5b0c9d8f4e2f8a6b3c2d1e0f9a8b', externalOrderId: 'shop-1002' },
  ...{ status: 'completed', outcome: 'full', refundedAmount: 0 },
}

export const resultPages = {
  some: named(
    'Two results after number 41',
    answer({ results: [partial, full], nextAfter: 43, lastSeq: 43, hasMore: false }),
  ),
  none: named('No result yet', answer({ results: [], nextAfter: 43, lastSeq: 43, hasMore: false })),
}
