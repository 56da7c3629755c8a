import { countedHeaders, type HeaderName } from '../headers.ts'
import { everywhere, keyChecks, refusals, responseRef } from '../refusals.ts'
import { json, ok, textBody } from '../replies.ts'
import type { Parameter, Paths } from '../types.ts'

const pageHeaders: HeaderName[] = ['Cache-Control', 'Content-Security-Policy', 'Referrer-Policy']
const notCounted = { counted: false }
const html = (description: string) => ({
  description,
  headers: countedHeaders(...pageHeaders),
  content: textBody('text/html'),
})
const passwordCheck = refusals(['DOCS_PASSWORD'], { headers: ['WWW-Authenticate'] })

const pathParameter = (name: string, example: string, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  example,
  schema: { type: 'string' },
})

const guideSections = {
  sections: {
    value: {
      success: true,
      data: [
        {
          href: '../docs/webhooks#deduplication',
          title: 'Deduplication',
          trail: ['Webhooks'],
          text: 'An event can come more than once.',
        },
      ],
    },
  },
}

/** What is there besides the API: its state, its documents. */
export const platformPaths: Paths = {
  '/': {
    get: {
      operationId: 'getPlaces',
      tags: ['Documents'],
      summary: 'Home page',
      description:
        'A page for browsers, JSON for others, by `Accept`. The paths of the API, of the documents and of the checks.',
      security: [],
      responses: {
        200: {
          description: 'The paths.',
          headers: countedHeaders('Vary', 'Content-Security-Policy'),
          content: {
            ...json('PlacesAnswer', {
              places: {
                value: {
                  success: true,
                  data: {
                    service: 'supply-ordering',
                    ...{ api: '/b2b', reference: '/reference', openApi: '/openapi.json', guide: '/docs' },
                    ...{ live: '/livez', ready: '/readyz' },
                  },
                },
              },
            }),
            ...textBody('text/html'),
          },
        },
        ...everywhere,
      },
    },
  },
  '/livez': {
    get: {
      operationId: 'getLiveness',
      tags: ['State'],
      summary: 'Liveness',
      description: 'Asks nothing of the database. Not counted against the rate limit.',
      security: [],
      responses: {
        200: ok(
          'It lives.',
          'LivenessAnswer',
          { ok: { value: { success: true, data: { status: 'ok' } } } },
          notCounted,
        ),
        405: responseRef('MethodNotAllowed'),
        default: responseRef('NotServed'),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: ['State'],
      summary: 'Readiness',
      description:
        'The database answers, takes writes and is migrated, and the process is not about to end. Not counted against ' +
        'the rate limit.',
      security: [],
      responses: {
        200: ok(
          'It can.',
          'ReadinessAnswer',
          { ready: { value: { success: true, data: { status: 'ready' } } } },
          notCounted,
        ),
        405: responseRef('MethodNotAllowed'),
        500: responseRef('InternalError'),
        503: responseRef('Unavailable'),
        default: responseRef('NotServed'),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      tags: ['Documents'],
      summary: 'OpenAPI document',
      description: 'The key comes in `X-Api-Key`, or else in `key`.',
      security: [{ apiKey: [] }, { apiKeyInQuery: [] }],
      responses: {
        200: {
          description: 'OpenAPI 3.1.',
          headers: countedHeaders('Cache-Control', 'Referrer-Policy'),
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/reference': {
    get: {
      operationId: 'getReference',
      tags: ['Documents'],
      summary: 'API reference',
      description:
        'The key stands in the address, so open it from a machine that you control. The page takes the key out of the ' +
        'address bar at once. A browser (`Accept: text/html`) that comes without a key which opens it gets the same status ' +
        'with a page that asks for one.',
      security: [{ apiKeyInQuery: [] }],
      responses: { 200: html('The page.'), ...keyChecks, ...everywhere },
    },
  },
  '/docs': {
    get: {
      operationId: 'getGuide',
      tags: ['Documents'],
      summary: 'Partner guide',
      security: [{ docsPassword: [] }],
      responses: { 200: html('The page.'), ...passwordCheck, ...everywhere },
    },
  },
  '/docs/search.json': {
    get: {
      operationId: 'getGuideSections',
      tags: ['Documents'],
      summary: 'Search index of the guide',
      description:
        'The sections of all pages, as plain text. A browser may keep it and asks with `If-None-Match`.',
      security: [{ docsPassword: [] }],
      responses: {
        200: {
          description: 'The sections.',
          headers: countedHeaders('ETag', 'Cache-Control', 'Vary', 'Content-Encoding', 'Referrer-Policy'),
          content: { 'application/json': { schema: { type: 'object' }, examples: guideSections } },
        },
        304: {
          description: 'What you have still holds.',
          headers: countedHeaders('ETag', 'Cache-Control', 'Vary', 'Referrer-Policy'),
        },
        ...passwordCheck,
        ...everywhere,
      },
    },
  },
  '/docs/{page}': {
    get: {
      operationId: 'getGuidePage',
      tags: ['Documents'],
      summary: 'Page of the guide',
      description: 'The first page is `/docs` itself.',
      security: [{ docsPassword: [] }],
      parameters: [pathParameter('page', 'webhooks', 'The name of the page.')],
      responses: {
        200: html('The page.'),
        ...passwordCheck,
        ...refusals(['NOT_FOUND']),
        ...everywhere,
      },
    },
  },
  '/docs/{folder}/{file}': {
    get: {
      operationId: 'getGuideFile',
      tags: ['Documents'],
      summary: 'Program of the guide',
      description:
        'In `verify` is code that verifies webhooks, in several languages, and vectors to test your own with; in `programs` ' +
        'are whole programs.',
      security: [{ docsPassword: [] }],
      parameters: [
        pathParameter('folder', 'verify', 'Where it is.'),
        pathParameter('file', 'verify.py', 'The name of the file.'),
      ],
      responses: {
        200: {
          description: 'The file.',
          headers: countedHeaders(...pageHeaders),
          content: textBody('text/plain'),
        },
        ...passwordCheck,
        ...refusals(['NOT_FOUND']),
        ...everywhere,
      },
    },
  },
  '/assets/{file}': {
    get: {
      operationId: 'getAsset',
      tags: ['Documents'],
      summary: 'Assets of the pages',
      description: 'Style sheets, scripts, the icon.',
      security: [],
      parameters: [pathParameter('file', 'guide.css', 'The name of the file.')],
      responses: {
        200: {
          description: 'The file.',
          headers: countedHeaders('ETag', 'Cache-Control', 'Vary', 'Content-Encoding'),
          content: {
            ...textBody('text/css'),
            ...textBody('text/javascript'),
            ...textBody('image/svg+xml'),
          },
        },
        304: {
          description: 'What you have still holds.',
          headers: countedHeaders('ETag', 'Cache-Control', 'Vary'),
        },
        ...refusals(['NOT_FOUND']),
        ...everywhere,
      },
    },
  },
}
