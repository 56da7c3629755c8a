import * as examples from '../examples/me.ts'
import { everywhere, keyChecks, refusals } from '../refusals.ts'
import { ok } from '../replies.ts'
import type { Paths } from '../types.ts'

/** /b2b/me: the account and the key of the request. */
export const mePaths: Paths = {
  '/b2b/me': {
    get: {
      operationId: 'getMe',
      tags: ['Account'],
      summary: 'Read your account and key',
      description:
        'What the service knows of the account and the key of this request, what is left of the rate limit, and the address that ' +
        'it sees: for a first call, and when something is refused.',
      responses: {
        200: ok('The account and the key.', 'MeAnswer', examples.me, { headers: ['Cache-Control'] }),
        ...refusals(['VALIDATION_ERROR']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
}
