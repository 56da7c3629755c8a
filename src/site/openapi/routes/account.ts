import { transactionsQuery } from '../../../http/schemas.ts'
import * as examples from '../examples/account.ts'
import { countedHeaders } from '../headers.ts'
import { queryParameters } from '../json_schema.ts'
import { json, ok, operation, textBody } from '../operation.ts'
import type { Paths } from '../types.ts'

/** /b2b/me and /b2b/balance. */
export const accountPaths: Paths = {
  '/b2b/me': {
    get: operation({
      id: 'getMe',
      tag: 'Account',
      summary: 'Read your account and key',
      description:
        'The account and the key of the request, what is left of the rate limit, and your address as the service ' +
        'sees it. Use it as a first call, and when the service refuses something.',
      answers: { 200: ok('The account and the key.', 'MeAnswer', examples.me) },
    }),
  },
  '/b2b/balance': {
    get: operation({
      id: 'getBalance',
      tag: 'Balance',
      summary: 'Read the balance',
      description: 'The amount that you can spend, and the amount that is charged on orders that are not final.',
      answers: { 200: ok('The balance.', 'BalanceAnswer', examples.balances) },
    }),
  },
  '/b2b/balance/transactions': {
    get: operation({
      id: 'listTransactions',
      tag: 'Balance',
      summary: 'List transactions',
      description:
        'Deposits, charges, refunds and adjustments, newest first. `Accept: text/csv` gives the same page as CSV.',
      parameters: queryParameters(transactionsQuery),
      answers: {
        200: {
          description: 'The transactions.',
          headers: countedHeaders('Cache-Control', 'Vary', 'X-Next-Cursor'),
          content: {
            ...json('TransactionPage', examples.transactionPages),
            ...textBody('text/csv', examples.transactionsCsv),
          },
        },
      },
    }),
  },
}
