import { answer, named } from './named.ts'
import { keyItem, order, topUp } from './order.ts'

export const quoteRequests = {
  several: named('A top-up and two keys, with a cap', {
    maxTotal: 1700,
    items: [
      { productId: 101, deliveryData: { gameUserId: '123456789' } },
      { productId: 112, quantity: 2 },
    ],
  }),
}

const itemOf = ({ productId, productName, amount, price }: typeof topUp) => ({
  ...{ productId, productName, quantity: amount, price, total: price * amount, available: true },
})

const accepted = {
  items: [itemOf(topUp), itemOf(keyItem)],
  totalAmount: order.totalAmount,
  currency: order.currency,
  balance: 100000,
  balanceAfter: 98331,
  wouldBeRefused: null,
}

export const quotes = {
  accepted: named('An order that would be accepted', answer(accepted)),
  refused: named(
    'An order that the balance does not suffice for',
    answer({
      ...accepted,
      balance: 1000,
      balanceAfter: -669,
      wouldBeRefused: {
        status: 402,
        error: 'Insufficient balance',
        code: 'INSUFFICIENT_BALANCE',
        details: { balance: 1000, required: order.totalAmount, currency: order.currency },
      },
    }),
  ),
}
