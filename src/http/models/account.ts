import * as v from 'valibot'
import { currency, flag, listOf, money, oneOf, pagination, text, time, wholeNumber } from './parts.ts'

export const me = v.object({
  account: v.object({ id: wholeNumber('The account’s number.', 1), name: text('The account’s name.') }),
  mode: oneOf(['live', 'test'], 'An account in `test` mode can use the simulation endpoints.'),
  currency,
  key: v.object({
    prefix: text('The first characters of the key.'),
    last4: text('The last four characters of the key.'),
    label: v.nullable(text('The operators’ name for the key.')),
    expiresAt: v.nullable(time('When the key expires; `null`: never.')),
    allowedOrigins: v.nullable(listOf(v.string(), 'The origins that may use the key; `null`: no allowlist.')),
    allowedIps: v.nullable(listOf(v.string(), 'The networks that may use the key; `null`: any.')),
  }),
  limits: listOf(
    v.object({
      scope: oneOf(['account', 'key'], 'Whether the limit is of the account or of the key.'),
      per: oneOf(['hour', 'day'], 'In UTC.'),
      amount: money('What may be spent in the hour or day.'),
      spent: money('What was spent in it so far.'),
      resetsAt: time('When the next hour or day begins.'),
    }),
    'The spending limits that hold for the key.',
  ),
  rateLimit: v.object({
    limit: wholeNumber('The requests that your address may make in a window of 60 s.', 1),
    remaining: wholeNumber('The requests that are left in the window.'),
    resetSeconds: wholeNumber('The seconds until the window ends.'),
  }),
  address: text('Your IP address as the service sees it.'),
})

export const balance = v.object({
  balance: money('The amount that you can spend.'),
  currency,
  inOrders: money('The sum that is charged on orders that are not final.'),
  lowBalance: flag('True if `balance` is at or below `threshold`.'),
  threshold: money('Set by the operators.'),
  asOf: time('The time of this balance.'),
})

export const transaction = v.object({
  seq: wholeNumber('The number of the transaction in the account, without gaps.', 1),
  type: v.picklist(['deposit', 'order_charge', 'order_refund', 'adjustment']),
  amount: money('Positive if the balance grew, negative if it shrank.'),
  balanceAfter: money('The balance after the transaction.'),
  currency,
  orderCode: v.nullable(text('The order that was charged or refunded.')),
  externalOrderId: v.nullable(text('Your reference of that order.')),
  paymentCode: v.nullable(text('The reference of the charge.')),
  createdAt: time('When the transaction was made.'),
  reference: v.nullable(text('The reference of a deposit or an adjustment, for example an invoice.')),
})

export const transactionPage = v.object({
  transactions: listOf(transaction, 'Newest first.'),
  openingBalance: money('The balance before `from`; 0 without `from`.'),
  closingBalance: money('The balance at `to`; without `to`, the present balance.'),
  pagination,
})

export const liveness = v.object({ status: v.picklist(['ok']) })
export const readiness = v.object({ status: v.picklist(['ready']), clock: v.optional(v.string()) })

export const places = v.object({
  service: v.picklist(['supply-ordering']),
  api: v.string(),
  reference: v.string(),
  openApi: v.string(),
  guide: v.string(),
  live: v.string(),
  ready: v.string(),
})
