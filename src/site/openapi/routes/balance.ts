import { transactionsQuery } from '../../../http/schemas.ts'
import * as examples from '../examples/balance.ts'
import { countedHeaders } from '../headers.ts'
import { queryParameters } from '../json_schema.ts'
import { everywhere, keyChecks, refusals } from '../refusals.ts'
import { json, ok, textBody } from '../replies.ts'
import type { Paths } from '../types.ts'

const tags = ['Balance']

/** /b2b/balance: what there is, and how it came about. */
export const balancePaths: Paths = {
  '/b2b/balance': {
    get: {
      operationId: 'getBalance',
      tags,
      summary: 'Read the balance',
      responses: {
        200: ok('The balance.', 'BalanceAnswer', examples.balances, { headers: ['Cache-Control'] }),
        ...refusals(['VALIDATION_ERROR']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/b2b/balance/transactions': {
    get: {
      operationId: 'listTransactions',
      tags,
      summary: 'List transactions',
      description:
        'Deposits, charges, refunds and adjustments, newest first. `Accept: text/csv` gives the same page as CSV.',
      parameters: queryParameters(transactionsQuery),
      responses: {
        200: {
          description: 'The transactions.',
          headers: countedHeaders('Cache-Control', 'Vary', 'X-Next-Cursor'),
          content: {
            ...json('TransactionPage', examples.transactionPages),
            ...textBody('text/csv', {
              csv: { summary: 'The same as CSV', value: examples.transactionsCsv },
            }),
          },
        },
        ...refusals(['VALIDATION_ERROR']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
}
