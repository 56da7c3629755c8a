import * as examples from '../examples/quotes.ts'
import { everywhere, keyChecksOfWrites, refusals } from '../refusals.ts'
import { jsonBody, ok } from '../replies.ts'
import type { Paths } from '../types.ts'

/** /b2b/orders/quote: what an order would cost and what would become of it. */
export const quotePaths: Paths = {
  '/b2b/orders/quote': {
    post: {
      operationId: 'quoteOrder',
      tags: ['Orders'],
      summary: 'Quote an order',
      description: [
        'The body is that of the order without `externalOrderId`. The answer has its prices now, the total, what would be ' +
          'left of the balance, and whether the order would be refused: `wouldBeRefused` has the status, the `code` and the ' +
          '`details` that the order would be answered with at this moment. Nothing is placed, charged or reserved.',
        'It is judged by the very checks of the order. Only idempotency is not among them: the headers of the idempotency ' +
          'key and an `externalOrderId` are not looked at. A body without the right shape is a 400, as for the order.',
      ].join('\n\n'),
      requestBody: jsonBody(
        'At most 64 KiB of `application/json` in UTF-8, not compressed.',
        'QuoteRequest',
        examples.quoteRequests,
      ),
      responses: {
        200: ok('The quote, also of an order that would be refused.', 'QuoteAnswer', examples.quotes, {
          headers: ['Cache-Control'],
        }),
        ...refusals(['VALIDATION_ERROR', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']),
        ...keyChecksOfWrites,
        ...everywhere,
      },
    },
  },
}
