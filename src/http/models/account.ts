import * as v from 'valibot'
import { currency, flag, listOf, money, oneOf, pagination, text, time, wholeNumber } from './parts.ts'

export const me = v.object({
  account: v.object({ id: wholeNumber('The account’s number.', 1), name: text('The account’s name.', 'Acme Games') }),
  mode: oneOf(['live', 'test'], 'An account in `test` mode can use the simulation endpoints.'),
  currency,
  key: v.object({
    prefix: text('The first characters of the key.', 'svc_live_'),
    last4: text('The last four characters of the key.', '0998'),
    label: v.nullable(text('The operators’ name for the key.', 'shop')),
    expiresAt: v.nullable(time('When the key expires; `null`: never.')),
    allowedOrigins: v.nullable(listOf(v.string(), 'The origins that may use the key; `null`: no allowlist.')),
    allowedIps: v.nullable(listOf(v.string(), 'The networks that may use the key; `null`: any.', ['203.0.113.7/32'])),
  }),
  limits: listOf(
    v.object({
      scope: oneOf(['account', 'key'], 'Whether the limit is of the account or of the key.'),
      per: oneOf(['hour', 'day'], 'In UTC.', 'day'),
      amount: money('What may be spent in the hour or day.', 50_000),
      spent: money('What was spent in it so far.', 1_669),
      resetsAt: time('When the next hour or day begins.'),
    }),
    'The spending limits that hold for the key.',
  ),
  rateLimit: v.object({
    limit: wholeNumber('The requests that your address may make in a window of 60 s.', 1, 500),
    remaining: wholeNumber('The requests that are left in the window.', 0, 499),
    resetSeconds: wholeNumber('The seconds until the window ends.', 0, 60),
  }),
  address: text('Your IP address as the service sees it.', '203.0.113.7'),
  webhookAddresses: listOf(
    v.string(),
    'The addresses and networks from which webhooks come; `[]`: they are not fixed.',
    ['198.51.100.0/28'],
  ),
})

export const balance = v.object({
  balance: money('The amount that you can spend.', 98_331),
  currency,
  inOrders: money('The sum that is charged on orders that are not final.', 1_669),
  lowBalance: flag('True if `balance` is at or below `threshold`.'),
  threshold: money('Set by the operators.', 5_000),
  asOf: time('The time of this balance.'),
})

export const transaction = v.object({
  seq: wholeNumber('The number of the transaction in the account, without gaps.', 1),
  type: v.picklist(['deposit', 'order_charge', 'order_refund', 'adjustment']),
  amount: money('Positive if the balance grew, negative if it shrank.', 100_000),
  balanceAfter: money('The balance after the transaction.', 100_000),
  currency,
  orderCode: v.nullable(text('The order that was charged or refunded.')),
  externalOrderId: v.nullable(text('Your reference of that order.')),
  paymentCode: v.nullable(text('The reference of the charge.')),
  createdAt: time('When the transaction was made.'),
  reference: v.nullable(text('The reference of a deposit or an adjustment, for example an invoice.', 'invoice 17')),
})

export const transactionPage = v.object({
  transactions: listOf(transaction, 'Newest first.'),
  openingBalance: money('The balance before `from`; 0 without `from`.', 0),
  closingBalance: money('The balance at `to`; without `to`, the present balance.', 100_000),
  pagination,
})

export const liveness = v.object({ status: v.picklist(['ok']) })
export const readiness = v.object({ status: v.picklist(['ready']), clock: v.optional(v.string()) })
