import { answer, named } from './named.ts'
import { code, endedAt, order, placedAt } from './order.ts'

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
  reference: 'invoice 17',
}

const charge = {
  ...deposit,
  ...{ seq: 2, type: 'order_charge', amount: -1669, balanceAfter: 98331 },
  ...{ orderCode: code, externalOrderId: order.externalOrderId, paymentCode: order.paymentCode },
  createdAt: placedAt,
  reference: null,
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
  'seq,type,amount,balanceAfter,currency,orderCode,externalOrderId,paymentCode,createdAt,reference',
  `2,order_charge,-1669.00,98331.00,RUB,${code},shop-1001,${order.paymentCode},${placedAt},`,
  '1,deposit,100000.00,100000.00,RUB,,,,2026-03-01T08:00:00.000Z,invoice 17',
  '',
].join('\r\n')
