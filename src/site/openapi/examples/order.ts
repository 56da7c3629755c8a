/** One order, and what is said about it in different places, so that the examples fit together. */

export const code = 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877'
export const reason = 'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.'
export const keys = [{ code: 'AAAAA-BBBBB-CCCCC' }, { code: 'DDDDD-EEEEE-FFFFF' }]
export const placedAt = '2026-03-02T09:41:02.117Z'
export const endedAt = '2026-03-02T09:41:07.498Z'

export const topUp = {
  id: '0b5f7c1a-2d3e-4f60-8182-93a4b5c6d7e8',
  productId: 101,
  productName: '60 pearls',
  amount: 1,
  price: 89,
  status: 'processing',
  refundedAmount: 0,
  errorCode: null,
  errorMessage: null,
  completedAt: null,
}

export const keyItem = {
  ...topUp,
  id: '6f1d2b0e-8c57-4f0a-9d0b-3a1c5e7b2d48',
  productId: 112,
  productName: 'Frost Kingdoms: Deep Ice',
  amount: 2,
  price: 790,
}

const completed = { status: 'completed', completedAt: endedAt }

const failed = {
  status: 'failed',
  errorCode: 'PLAYER_NOT_FOUND',
  errorMessage: reason,
  completedAt: endedAt,
}

export const order = {
  code,
  orderCode: code,
  externalOrderId: 'shop-1001',
  status: 'processing',
  outcome: null,
  totalAmount: 1669,
  refundedAmount: 0,
  currency: 'RUB',
  paymentCode: 'pay_9a77e0c35d2b4c6f8a1e0d9c8b7a6f5e',
  callbackUrl: 'https://hooks.shop.example/supply',
  error: null,
  reason: null,
  createdAt: placedAt,
  updatedAt: placedAt,
  completedAt: null,
  items: [topUp, keyItem],
  orders: [{ code, total: 1669, itemCount: 2 }],
}

const ended = { updatedAt: endedAt, completedAt: endedAt }

export const completedOrder = {
  ...order,
  ...ended,
  status: 'completed',
  outcome: 'full',
  items: [
    { ...topUp, ...completed },
    { ...keyItem, ...completed, cdKeys: keys },
  ],
}

export const partialOrder = {
  ...completedOrder,
  status: 'failed',
  outcome: 'partial',
  refundedAmount: 89,
  error: 'ORDER_FAILED',
  reason,
  items: [
    { ...topUp, ...failed, refundedAmount: 89 },
    { ...keyItem, ...completed, cdKeys: keys },
  ],
}

export const failedOrder = {
  ...partialOrder,
  outcome: 'none',
  refundedAmount: 1669,
  items: [
    { ...topUp, ...failed, refundedAmount: 89 },
    { ...keyItem, ...failed, errorCode: 'OUT_OF_STOCK', errorMessage: null, refundedAmount: 1580 },
  ],
}
