import { answers, bodies, money } from './bodies.ts'

/** One order in all its states. The examples of all operations are about it, so that they fit together. */

export const code = 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877'
export const eventId = '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a'
export const reason = 'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.'
export const keys = [{ code: 'AAAAA-BBBBB-CCCCC' }, { code: 'DDDDD-EEEEE-FFFFF' }]
export const placedAt = '2026-03-02T09:41:02.117Z'
export const endedAt = '2026-03-02T09:41:07.498Z'

export const topUp = {
  id: '0b5f7c1a-2d3e-4f60-8182-93a4b5c6d7e8',
  productId: 101,
  productName: '60 pearls',
  amount: 1,
  price: money(89),
  status: 'processing',
  refundedAmount: money(0),
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
  price: money(790),
}

export const order = {
  code,
  orderCode: code,
  externalOrderId: 'shop-1001',
  status: 'processing',
  outcome: null,
  totalAmount: money(1669),
  refundedAmount: money(0),
  currency: 'RUB',
  paymentCode: 'pay_4c0d9f6e1b7a42f38e5d2c1b0a998877',
  callbackUrl: 'https://hooks.shop.example/supply',
  error: null,
  reason: null,
  createdAt: placedAt,
  updatedAt: placedAt,
  completedAt: null,
  items: [topUp, keyItem],
  orders: [{ code, total: money(1669), itemCount: 2 }],
}

const isCompleted = { status: 'completed', completedAt: endedAt }
const isFailed = { status: 'failed', errorCode: 'PLAYER_NOT_FOUND', errorMessage: reason, completedAt: endedAt }

const completedOrder = {
  ...order,
  status: 'completed',
  outcome: 'full',
  updatedAt: endedAt,
  completedAt: endedAt,
  items: [
    { ...topUp, ...isCompleted },
    { ...keyItem, ...isCompleted, cdKeys: keys },
  ],
}

const partialOrder = {
  ...completedOrder,
  status: 'failed',
  outcome: 'partial',
  refundedAmount: money(89),
  error: 'ORDER_FAILED',
  reason,
  items: [
    { ...topUp, ...isFailed, refundedAmount: money(89) },
    { ...keyItem, ...isCompleted, cdKeys: keys },
  ],
}

const failedOrder = {
  ...partialOrder,
  outcome: 'none',
  refundedAmount: money(1669),
  items: [
    { ...topUp, ...isFailed, refundedAmount: money(89) },
    { ...keyItem, ...isFailed, errorCode: 'OUT_OF_STOCK', errorMessage: null, refundedAmount: money(1580) },
  ],
}

/** The status of the webhook of an order that was delivered, and of one that the receiver refused. */
const delivered = { eventId, state: 'delivered', attempts: 1, nextAttemptAt: null, lastStatus: 200, lastError: null }
export const dead = { ...delivered, state: 'dead', lastStatus: 404, lastError: 'http_404' }

const topUpRequest = { productId: 101, deliveryData: { gameUserId: '123456789' } }

export const orderRequests = bodies({
  'A top-up and two keys, with a webhook and limits for the price': {
    externalOrderId: order.externalOrderId,
    callbackUrl: order.callbackUrl,
    maxTotal: 1700,
    items: [topUpRequest, { productId: 112, quantity: 2, maxPrice: 800 }],
  },
  'A top-up': { externalOrderId: 'shop-1000', items: [topUpRequest] },
})

const processing = { 'In progress': order }
export const placedOrders = answers(processing)

export const orders = answers({
  ...processing,
  Completed: completedOrder,
  'Partial result': partialOrder,
  Failed: failedOrder,
})

export const readOrders = answers({
  'Completed, webhook delivered': { ...completedOrder, deliveries: delivered },
  'In progress': { ...order, deliveries: null },
  'Partial result: no webhook': { ...partialOrder, deliveries: null },
  'Failed, webhook in dead letters': { ...failedOrder, deliveries: dead },
})

const withoutKeys = (item: object) => ({ ...item, cdKeys: undefined })

export const orderPages = answers({
  'One order': {
    orders: [{ ...completedOrder, items: completedOrder.items.map(withoutKeys) }],
    pagination: { limit: 20, nextCursor: null, hasMore: false },
  },
  'A page by number': { orders: [], pagination: { limit: 20, nextCursor: null, hasMore: false, total: 0, asOf: '1' } },
})

/* Quotes */

export const quoteRequests = bodies({
  'A top-up and two keys, with a limit for the total': {
    maxTotal: 1700,
    items: [topUpRequest, { productId: 112, quantity: 2 }],
  },
})

const quoted = ({ productId, productName, amount, price }: typeof topUp) => ({
  productId,
  productName,
  quantity: amount,
  price,
  total: money(Number(price.rawJSON) * amount),
  available: true,
})

const quote = {
  items: [quoted(topUp), quoted(keyItem)],
  totalAmount: order.totalAmount,
  currency: 'RUB',
  balance: money(100000),
  balanceAfter: money(98331),
  wouldBeRefused: null,
}

export const quotes = answers({
  'The order would be accepted': quote,
  'The balance is too low': {
    ...quote,
    balance: money(1000),
    balanceAfter: money(-669),
    wouldBeRefused: {
      status: 402,
      error: 'Insufficient balance',
      code: 'INSUFFICIENT_BALANCE',
      details: { balance: 1000, required: 1669, currency: 'RUB' },
    },
  },
})

/* Results */

const resultItem = (
  { id, productId, productName, amount, price, refundedAmount }: typeof topUp,
  more: object = {},
) => ({ id, productId, productName, amount, price, status: 'completed', refundedAmount, errorCode: null, ...more })

const partialResult = {
  seq: 1,
  orderCode: code,
  externalOrderId: order.externalOrderId,
  status: 'failed',
  outcome: 'partial',
  totalAmount: order.totalAmount,
  refundedAmount: money(89),
  currency: 'RUB',
  completedAt: endedAt,
  items: [
    resultItem(topUp, { status: 'failed', refundedAmount: money(89), errorCode: 'PLAYER_NOT_FOUND' }),
    resultItem(keyItem),
  ],
}

const fullResult = {
  ...partialResult,
  seq: 2,
  orderCode: 'ord_7a1e5b0c9d8f4e2f8a6b3c2d1e0f9a8b',
  externalOrderId: 'shop-1000',
  status: 'completed',
  outcome: 'full',
  totalAmount: money(89),
  refundedAmount: money(0),
  items: [resultItem(topUp, { id: 'd1f3a0c2-5b47-4e69-8a1c-7e90b2d4c6f8' })],
}

export const resultPages = answers({
  'Two results': { results: [partialResult, fullResult], nextAfter: 2, lastSeq: 2, hasMore: false },
  'No new result': { results: [], nextAfter: 2, lastSeq: 2, hasMore: false },
})

/* Simulated orders */

const simulatedCode = 'sim_8d2f6b1a0c9e4b7f9a3d5e1c7b2f4a60'

const simulated = {
  code: simulatedCode,
  orderCode: simulatedCode,
  paymentCode: 'sim_pay_8d2f6b1a0c9e4b7f9a3d5e1c7b2f4a60',
  orders: [{ code: simulatedCode, total: order.totalAmount, itemCount: 2 }],
  simulated: true,
}

export const placedSimulatedOrders = answers({ 'In progress': { ...order, ...simulated } })

export const simulatedOrders = answers({
  'Completed, webhook delivered': { ...completedOrder, ...simulated, deliveries: delivered },
  'In progress': { ...order, ...simulated },
})
