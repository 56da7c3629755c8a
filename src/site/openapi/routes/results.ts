import { resultsQuery } from '../../../http/schemas.ts'
import * as examples from '../examples/results.ts'
import { queryParameters } from '../json_schema.ts'
import { everywhere, keyChecks, refusals } from '../refusals.ts'
import { ok } from '../replies.ts'
import type { Paths } from '../types.ts'

/** /b2b/results: the orders that became final, one after the other. */
export const resultPaths: Paths = {
  '/b2b/results': {
    get: {
      operationId: 'listResults',
      tags: ['Results'],
      summary: 'List results',
      description: [
        'Every order of the account that became final, however it ended: those without a `callbackUrl` and partial results, ' +
          'of which no webhook tells, too. Results are numbered by account, from 1 and without a gap, as they come. Keep ' +
          '`nextAfter` together with what you did about the results, and send it as `after` next time: whatever happens in ' +
          'between, you get each result once, and miss none.',
        'Each result has the items of its order, by `id` and `productId`, so that you find your own rows without reading the ' +
          'order. Only keys are in the order alone.',
        'With `wait`, an answer without a result waits for one for so many seconds. It comes earlier without one while this ' +
          'server is about to end, and where too many requests wait: 10 of an account, 1,000 of all, in each server ' +
          'process. So pause for a second before you ask again after an empty answer.',
      ].join('\n\n'),
      parameters: queryParameters(resultsQuery),
      responses: {
        200: ok('The results after `after`, the oldest first.', 'ResultPage', examples.resultPages, {
          headers: ['Cache-Control'],
        }),
        ...refusals(['VALIDATION_ERROR']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
}
