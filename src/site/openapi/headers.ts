import type { JsonSchema } from '@valibot/to-json-schema'
import type { Header, Reference } from './types.ts'

const header = (description: string, schema: JsonSchema = { type: 'string' }): Header => ({ description, schema })
const always = (description: string, schema: JsonSchema): Header => ({ description, required: true, schema })
const seconds = (description: string) => header(description, { type: 'integer', minimum: 0 })

/** Every header of a response, except those of the connection and the content. */
export const headers = {
  'X-Request-Id': always(
    'The request’s id. Your own id is kept if it has 1 to 128 of `A-Za-z0-9._-` and does not look like an API ' +
      'key. Name it when you ask the operators.',
    { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  ),
  'X-Api-Version': always('The version of the API.', { const: '1' }),
  'X-Content-Type-Options': always('Browsers must not guess the content type.', { const: 'nosniff' }),
  'X-RateLimit-Limit': header('The requests that are allowed in a window of 60 seconds.', {
    type: 'integer',
    minimum: 1,
  }),
  'X-RateLimit-Remaining': header('The requests that are left in the window.', { type: 'integer', minimum: 0 }),
  'X-RateLimit-Reset': header('The seconds until the window ends.', { type: 'integer', minimum: 1, maximum: 60 }),
  'Retry-After': seconds('The seconds to wait before the next try.'),
  Allow: header('The methods of the path.'),
  ETag: header('The version of the answer: send it as `If-None-Match` next time.'),
  'Cache-Control': header('Whether caches may keep the response.'),
  Vary: header('The request headers that the response depends on.'),
  'Idempotent-Replayed': header('The order was placed by an earlier request.', { const: 'true' }),
  'X-Next-Cursor': header('The `cursor` of the next page; absent on the last page.'),
  Link: header('The address of the next page, `rel="next"`; absent on the last page.'),
  'WWW-Authenticate': header('How to authenticate.'),
  'Content-Security-Policy': header('The page loads nothing from other servers.'),
  'Referrer-Policy': header('Browsers tell no other server the address of the page.', { const: 'no-referrer' }),
} satisfies { [name: string]: Header }

export type HeaderName = keyof typeof headers

const onAll: HeaderName[] = ['X-Request-Id', 'X-Api-Version', 'X-Content-Type-Options']
const budget: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** References to the headers of a response that counts against the rate limit. */
export function countedHeaders(...names: string[]): { [name: string]: Reference } {
  return uncountedHeaders(...budget, ...names)
}

/** References to the headers of a response that does not count against the rate limit. */
export function uncountedHeaders(...names: string[]): { [name: string]: Reference } {
  return Object.fromEntries([...onAll, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
