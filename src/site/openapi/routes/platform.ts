import { places } from '../../home.ts'
import { answers } from '../examples/bodies.ts'
import { countedHeaders } from '../headers.ts'
import { json, operation, textBody, uncountedOk } from '../operation.ts'
import { responseRef } from '../refusals.ts'
import type { Paths, Response } from '../types.ts'

const tag = 'Documents'
const page: Response = {
  description: 'The page.',
  headers: countedHeaders('Cache-Control', 'Content-Security-Policy', 'Referrer-Policy'),
  content: textBody('text/html'),
}
const alive = { 405: responseRef('MethodNotAllowed'), default: responseRef('NotServed') }

/**
 * The home page, the documents and the health checks. The parts of the pages are no API: they are not described.
 */
export const platformPaths: Paths = {
  '/': {
    get: operation({
      id: 'getPlaces',
      tag,
      summary: 'Home page',
      description:
        'The paths of the API, the documents and the health checks: a page for browsers, JSON for others, by ' +
        '`Accept`.',
      access: 'none',
      answers: {
        200: {
          description: 'The paths.',
          headers: countedHeaders('Vary', 'Content-Security-Policy'),
          content: {
            ...json('PlacesAnswer', answers({ 'The paths': { service: 'supply-ordering', ...places } })),
            ...textBody('text/html'),
          },
        },
      },
    }),
  },
  '/livez': {
    get: operation({
      id: 'getLiveness',
      tag: 'Health',
      summary: 'Liveness',
      description: 'Does not use the database. Does not count against the rate limit.',
      access: 'none',
      answers: { 200: uncountedOk('The process is alive.', 'LivenessAnswer', answers({ Alive: { status: 'ok' } })) },
      common: alive,
    }),
  },
  '/readyz': {
    get: operation({
      id: 'getReadiness',
      tag: 'Health',
      summary: 'Readiness',
      description:
        'Ready: the database answers, takes writes and is migrated, and the process is not about to stop. Does ' +
        'not count against the rate limit. `clock` is there if the clock of the process differs from that of the ' +
        'database by more than 30 s.',
      access: 'none',
      answers: {
        200: uncountedOk(
          'The service is ready.',
          'ReadinessAnswer',
          answers({
            Ready: { status: 'ready' },
            WrongClock: { status: 'ready', clock: "600 s ahead of the database's" },
          }),
        ),
      },
      common: { ...alive, 500: responseRef('InternalError'), 503: responseRef('Unavailable') },
    }),
  },
  '/openapi.json': {
    get: operation({
      id: 'getOpenApi',
      tag,
      summary: 'OpenAPI document',
      description: 'Send the key in `X-Api-Key`, or as `key` in the query.',
      access: 'keyInHeaderOrQuery',
      answers: {
        200: {
          description: 'OpenAPI 3.1.',
          headers: countedHeaders('Cache-Control', 'Referrer-Policy'),
          content: { 'application/json': { schema: { type: 'object' } } },
        },
      },
    }),
  },
  '/reference': {
    get: operation({
      id: 'getReference',
      tag,
      summary: 'API reference',
      description:
        'The URL contains the key, so open it on a machine that you control. The page removes the key from the ' +
        'address bar at once. A browser (`Accept: text/html`) without a valid key gets the same status with a ' +
        'form for the key.',
      access: 'keyInQuery',
      answers: { 200: page },
    }),
  },
  '/docs': {
    get: operation({
      id: 'getGuide',
      tag,
      summary: 'Partner guide',
      description: 'The first page of the guide. The other pages and the files of programs are below this path.',
      access: 'password',
      answers: { 200: page },
    }),
  },
}
