import type { JsonSchema } from '@valibot/to-json-schema'
import * as examples from './examples/events.ts'
import { jsonBody } from './replies.ts'
import type { Examples, Operation, Parameter } from './types.ts'

const header = (name: string, description: string, schema: JsonSchema, example: unknown): Parameter => ({
  ...{ name, in: 'header', required: true, description, example, schema },
})

const headers = (type: string): Parameter[] => [
  header(
    'X-Webhook-Timestamp',
    'Unix time in seconds when this delivery was signed. Reject one that is more than 300 seconds from your clock.',
    { type: 'string', pattern: '^[0-9]+$' },
    '1772444467',
  ),
  header(
    'X-Idempotency-Key',
    'The event’s id, the same in every delivery of it: do what it says once.',
    { type: 'string', format: 'uuid' },
    '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a',
  ),
  header('X-Webhook-Event', 'As `event_type` in the body, which is what counts.', { const: type }, type),
  header('User-Agent', 'Who sends it.', { const: 'Service-B2B-Webhook/1.0' }, 'Service-B2B-Webhook/1.0'),
]

const answers: Operation['responses'] = {
  '2XX': { description: 'Delivered. The body of your answer is not read.' },
  '3XX': { description: 'Given up at once. Redirects are not followed.' },
  '408': {
    description: 'Tried again, by the ladder or when your `Retry-After` says (5 seconds to 6 hours).',
    headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
  },
  '429': {
    description: 'Tried again, by the ladder or when your `Retry-After` says (5 seconds to 6 hours).',
    headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
  },
  '4XX': { description: 'Given up at once.' },
  '5XX': {
    description:
      'Tried again, as is what times out after 10 seconds or cannot be connected: after 1, 5 and 15 minutes, 1, 3, 6, 12 ' +
      'and 24 hours; nine deliveries at most.',
  },
}

function webhook(
  type: string,
  operationId: string,
  texts: { summary: string; description: string },
  schema: string,
  samples: Examples,
): { post: Operation } {
  return {
    post: {
      ...{ operationId, tags: ['Webhooks'], ...texts, security: [{ webhookSignature: [] }] },
      parameters: headers(type),
      requestBody: jsonBody('`application/json; charset=utf-8`.', schema, samples),
      responses: answers,
    },
  }
}

/** What is sent to an order's `callbackUrl` (specification 6). */
export const webhooks = {
  'order.completed': webhook(
    'order.completed',
    'orderCompleted',
    {
      summary: 'Order completed',
      description: 'All items were delivered. Sent to the order’s `callbackUrl`, if it has one.',
    },
    'OrderCompletedEvent',
    examples.completedEvents,
  ),
  'order.failed': webhook(
    'order.failed',
    'orderFailed',
    {
      summary: 'Order failed',
      description:
        'Nothing was delivered and everything refunded. A partial result sends no event: read orders that stay open.',
    },
    'OrderFailedEvent',
    examples.failedEvents,
  ),
}
