import type { JsonSchema } from '@valibot/to-json-schema'
import type { Header, Reference } from './types.ts'

const header = (description: string, schema: JsonSchema = { type: 'string' }): Header => ({
  description,
  schema,
})
const always = (description: string, schema: JsonSchema): Header => ({
  description,
  required: true,
  schema,
})
const seconds = (description: string) => header(description, { type: 'integer', minimum: 0 })

/** Every header that a response can have, `Content-Type` and the like aside. */
export const headers = {
  'X-Request-Id': always(
    'The request’s id. One that you send is kept if it is 1 to 128 of `A-Za-z0-9._-` and does not look like an API key. Name it when you ask the operators.',
    { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  ),
  'X-Api-Version': always('The version of the API.', { const: '1' }),
  'X-Content-Type-Options': always('The `Content-Type` is no guess.', { const: 'nosniff' }),
  'X-RateLimit-Limit': header('The requests that are allowed in the window of 60 seconds.', {
    type: 'integer',
    minimum: 1,
  }),
  'X-RateLimit-Remaining': header('How many of them are left.', { type: 'integer', minimum: 0 }),
  'X-RateLimit-Reset': header('In how many seconds the window ends.', {
    type: 'integer',
    minimum: 1,
    maximum: 60,
  }),
  'Retry-After': seconds('In how many seconds to try again.'),
  Allow: header('The methods that the address takes.'),
  ETag: header('What to send as `If-None-Match` next time.'),
  'Cache-Control': header('Who may keep the response.'),
  Vary: header('What else the response depends on.'),
  'Idempotent-Replayed': header('The order was placed before.', { const: 'true' }),
  'X-Next-Cursor': header('The `cursor` of the next page; absent on the last one.'),
  'WWW-Authenticate': header('How to authenticate.'),
  'Content-Security-Policy': header('The page loads nothing from elsewhere.'),
  'Referrer-Policy': header('The address of the page is not told to anyone.', { const: 'no-referrer' }),
  'Content-Encoding': header('gzip, where the request accepts that.'),
} satisfies { [name: string]: Header }

export type HeaderName = keyof typeof headers

const onAll: HeaderName[] = ['X-Request-Id', 'X-Api-Version', 'X-Content-Type-Options']
const budget: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** References to the headers of a response that was counted against the rate limit. */
export function countedHeaders(...names: HeaderName[]): { [name: string]: Reference } {
  return uncountedHeaders(...budget, ...names)
}

/** References to the headers of a response that was not counted. */
export function uncountedHeaders(...names: HeaderName[]): { [name: string]: Reference } {
  return Object.fromEntries(
    [...onAll, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
}
