import * as v from 'valibot'
import * as examples from '../examples/events.ts'
import { pathParameter } from '../json_schema.ts'
import { everywhere, refusal, refusals } from '../refusals.ts'
import { jsonBody, ok } from '../replies.ts'
import type { Paths } from '../types.ts'

const tags = ['Simulation']
const keyChecks = ['STOREFRONT_ACCOUNT', 'PUBLIC_KEY', 'IP_NOT_ALLOWED', 'LIVE_ACCOUNT'] as const

/** /simulation/webhooks: sample events, for accounts in mode test. */
export const simulationPaths: Paths = {
  '/simulation/webhooks': {
    post: {
      operationId: 'simulateWebhook',
      tags,
      summary: 'Send yourself a sample event',
      description:
        'For accounts in test mode. The event goes the way of real ones, signed with the account’s secret, retries and ' +
        'dead letters included. It touches neither balance nor supplier, its body is at most 64 KiB, and it is forgotten ' +
        'after a day.',
      requestBody: jsonBody('At most 64 KiB.', 'SimulationRequest', examples.simulationRequests),
      responses: {
        202: ok('The event is on its way.', 'SimulationAnswer', examples.simulations),
        ...refusals([
          ...(['VALIDATION_ERROR', 'INVALID_CALLBACK_URL', 'UNAUTHORIZED'] as const),
          ...([...keyChecks, 'ORIGIN_NOT_ALLOWED'] as const),
          ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
        ]),
        ...everywhere,
        429: refusal(
          ['RATE_LIMITED', 'TOO_MANY_SAMPLES', 'TOO_MANY_SAMPLES_A_MINUTE'],
          'The budget of the client’s address is used up until the window ends; or 100 sample events of the account are ' +
            'neither delivered nor given up yet; or it has sent 60 within the last minute.',
          { headers: ['Retry-After'] },
        ),
      },
    },
  },
  '/simulation/webhooks/{eventId}': {
    get: {
      operationId: 'getSimulation',
      tags,
      summary: 'What became of a sample event',
      parameters: [
        pathParameter(
          'eventId',
          'The `eventId` that sending it gave.',
          v.pipe(v.string(), v.uuid()),
          '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a',
        ),
      ],
      responses: {
        200: ok('The event and its deliveries.', 'SimulationStateAnswer', examples.simulationStates, {
          headers: ['Cache-Control'],
        }),
        ...refusals(['UNAUTHORIZED', ...keyChecks, 'EVENT_NOT_FOUND']),
        ...everywhere,
      },
    },
  },
}
