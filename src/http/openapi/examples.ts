/** One order, and what is said about it in different places, so that the examples fit together. */

const code = 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877'
const reason = 'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.'
const keys = [{ code: 'AAAAA-BBBBB-CCCCC' }, { code: 'DDDDD-EEEEE-FFFFF' }]
const placedAt = '2026-03-02T09:41:02.117Z'
const endedAt = '2026-03-02T09:41:07.498Z'

const topUp = {
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
const keyItem = {
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

const order = {
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
const completedOrder = {
  ...order,
  ...ended,
  status: 'completed',
  outcome: 'full',
  items: [
    { ...topUp, ...completed },
    { ...keyItem, ...completed, cdKeys: keys },
  ],
}
const partialOrder = {
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
const failedOrder = {
  ...partialOrder,
  outcome: 'none',
  refundedAmount: 1669,
  items: [
    { ...topUp, ...failed, refundedAmount: 89 },
    { ...keyItem, ...failed, errorCode: 'OUT_OF_STOCK', errorMessage: null, refundedAmount: 1580 },
  ],
}

const named = (summary: string, value: unknown) => ({ summary, value })
const answer = (data: unknown) => ({ success: true, data })

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

const withoutKeys = ({ cdKeys: _, ...item }: { cdKeys?: unknown }) => item

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
    answer({ orders: [], pagination: { limit: 20, nextCursor: null, hasMore: false, total: 0 } }),
  ),
}

export const products = {
  topUp: {
    id: 101,
    gameSlug: 'dragon-harbor',
    name: '60 pearls',
    slug: '60-pearls',
    wholesalePrice: 89,
    currency: 'RUB',
    region: null,
    deliveryType: 'id_only',
    amountType: { type: 'fixed', value: 60 },
    inStock: true,
    minQuantity: 1,
    maxQuantity: 100,
    deliveryDataSchema: [
      { id: 'gameUserId', type: 'text', label: 'Player ID', required: true, placeholder: '123456789' },
      {
        ...{ id: 'server', type: 'select', label: 'Server', required: true, placeholder: null },
        options: ['Europe', 'Asia', 'America'],
      },
    ],
    updatedAt: placedAt,
  },
  key: {
    id: 112,
    gameSlug: 'frost-kingdoms',
    name: 'Frost Kingdoms: Deep Ice',
    slug: 'frost-kingdoms-deep-ice',
    wholesalePrice: 790,
    currency: 'RUB',
    region: 'RU',
    deliveryType: 'key',
    amountType: null,
    inStock: true,
    minQuantity: 1,
    maxQuantity: 10,
    deliveryDataSchema: [],
    updatedAt: placedAt,
  },
}

export const games = {
  games: named(
    'Two games',
    answer([
      {
        ...{ id: 1, slug: 'dragon-harbor', name: 'Dragon Harbor' },
        ...{ imageUrl: 'https://img.supply.example/dragon-harbor.png', deliveryTypes: ['id_only'] },
        productCount: 4,
      },
      {
        ...{ id: 4, slug: 'frost-kingdoms', name: 'Frost Kingdoms' },
        ...{ imageUrl: null, deliveryTypes: ['key'], productCount: 4 },
      },
    ]),
  ),
}

export const productLists = { products: named('The products of a game', answer([products.topUp])) }

export const productAnswers = {
  topUp: named('A top-up', answer(products.topUp)),
  key: named('A product of keys', answer(products.key)),
}

export const balances = {
  balance: named(
    'A balance',
    answer({
      balance: 98331,
      currency: 'RUB',
      inOrders: 1669,
      lowBalance: false,
      threshold: 5000,
      asOf: endedAt,
    }),
  ),
}

const deposit = {
  seq: 1,
  type: 'deposit',
  amount: 100000,
  balanceAfter: 100000,
  currency: 'RUB',
  orderCode: null,
  externalOrderId: null,
  paymentCode: null,
  createdAt: '2026-03-01T08:00:00.000Z',
}
const charge = {
  ...deposit,
  ...{ seq: 2, type: 'order_charge', amount: -1669, balanceAfter: 98331 },
  ...{ orderCode: code, externalOrderId: order.externalOrderId, paymentCode: order.paymentCode },
  createdAt: placedAt,
}

export const transactionPages = {
  all: named(
    'A deposit and an order',
    answer({
      transactions: [charge, deposit],
      openingBalance: 0,
      closingBalance: 98331,
      pagination: { limit: 20, nextCursor: null, hasMore: false },
    }),
  ),
}

export const transactionsCsv = [
  'seq,type,amount,balanceAfter,currency,orderCode,externalOrderId,paymentCode,createdAt',
  `2,order_charge,-1669.00,98331.00,RUB,${code},shop-1001,${order.paymentCode},${placedAt}`,
  '1,deposit,100000.00,100000.00,RUB,,,,2026-03-01T08:00:00.000Z',
  '',
].join('\r\n')

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
