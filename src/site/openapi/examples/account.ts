import { answers, bodies, money } from './bodies.ts'
import { code, endedAt, order, placedAt } from './orders.ts'

export const me = answers({
  'A partner with one server': {
    account: { id: 2, name: 'Acme Games' },
    mode: 'live',
    currency: 'RUB',
    key: {
      prefix: 'svc_live_',
      last4: '0998',
      label: 'shop',
      expiresAt: null,
      allowedOrigins: null,
      allowedIps: ['203.0.113.7/32'],
    },
    limits: [
      { scope: 'key', per: 'day', amount: money(50000), spent: money(1669), resetsAt: '2026-03-03T00:00:00.000Z' },
    ],
    rateLimit: { limit: 500, remaining: 499, resetSeconds: 60 },
    address: '203.0.113.7',
  },
})

export const balances = answers({
  'After an order': {
    balance: money(98331),
    currency: 'RUB',
    inOrders: money(1669),
    lowBalance: false,
    threshold: money(5000),
    asOf: endedAt,
  },
})

const deposit = {
  seq: 1,
  type: 'deposit',
  amount: money(100000),
  balanceAfter: money(100000),
  currency: 'RUB',
  orderCode: null,
  externalOrderId: null,
  paymentCode: null,
  createdAt: '2026-03-01T08:00:00.000Z',
  reference: 'invoice 17',
}
const charge = {
  ...deposit,
  seq: 2,
  type: 'order_charge',
  amount: money(-1669),
  balanceAfter: money(98331),
  orderCode: code,
  externalOrderId: order.externalOrderId,
  paymentCode: order.paymentCode,
  createdAt: placedAt,
  reference: null,
}

export const transactionPages = answers({
  'A deposit and an order': {
    transactions: [charge, deposit],
    openingBalance: money(0),
    closingBalance: money(98331),
    pagination: { limit: 20, nextCursor: null, hasMore: false },
  },
})

export const transactionsCsv = bodies({
  'The same page as CSV': [
    'seq,type,amount,balanceAfter,currency,orderCode,externalOrderId,paymentCode,createdAt,reference',
    `2,order_charge,-1669.00,98331.00,RUB,${code},shop-1001,${order.paymentCode},${placedAt},`,
    '1,deposit,100000.00,100000.00,RUB,,,,2026-03-01T08:00:00.000Z,invoice 17',
    '',
  ].join('\r\n'),
})
