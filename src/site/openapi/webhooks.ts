import type { JsonSchema } from '@valibot/to-json-schema'
import { jsonBody } from './operation.ts'
import type { Operation, Parameter, Response } from './types.ts'

const header = (name: string, description: string, schema: JsonSchema, example: unknown): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  example,
  schema,
})

const headers = (type: string): Parameter[] => [
  header(
    'X-Webhook-Timestamp',
    'Unix time in seconds of the signature. Reject a delivery that is more than 300 seconds from your clock.',
    { type: 'string', pattern: '^[0-9]+$' },
    '1772444467',
  ),
  header(
    'X-Idempotency-Key',
    'The event’s id, the same in every delivery. Process each event once.',
    { type: 'string', format: 'uuid' },
    '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a',
  ),
  header('X-Webhook-Event', 'As `event_type` in the body. Dispatch on the body.', { const: type }, type),
  header('User-Agent', 'The sender.', { const: 'Service-B2B-Webhook/1.0' }, 'Service-B2B-Webhook/1.0'),
]

const retried: Response = {
  description: 'A retry, by the ladder or after your `Retry-After` (5 seconds to 6 hours).',
  headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
}

const answers: Operation['responses'] = {
  '2XX': { description: 'Delivered. The service does not read the body of your answer.' },
  '3XX': { description: 'A dead letter at once. The service does not follow redirects.' },
  '408': retried,
  '429': retried,
  '4XX': { description: 'A dead letter at once.' },
  '5XX': {
    description:
      'A retry, also after a time-out of 10 seconds or a failed connection: after 1, 5 and 15 minutes, 1, 3, 6, ' +
      '12 and 24 hours; at most nine deliveries.',
  },
}

function webhook(
  type: string,
  operationId: string,
  texts: { summary: string; description: string },
  schema: string,
): { post: Operation } {
  return {
    post: {
      operationId,
      tags: ['Webhooks'],
      ...texts,
      security: [{ webhookSignature: [] }],
      parameters: headers(type),
      requestBody: {
        required: true,
        description: '`application/json; charset=utf-8`.',
        content: { 'application/json': jsonBody(schema) },
      },
      responses: answers,
    },
  }
}

/** The events that the service sends to an order's `callbackUrl` (specification 6). */
export const webhooks = {
  'order.completed': webhook(
    'order.completed',
    'orderCompleted',
    {
      summary: 'Order completed',
      description: 'All items were delivered. Sent to the order’s `callbackUrl`, if it has one.',
    },
    'OrderCompletedEvent',
  ),
  'order.failed': webhook(
    'order.failed',
    'orderFailed',
    {
      summary: 'Order failed',
      description:
        'Nothing was delivered and everything was refunded. A partial result sends no event: poll orders that ' +
        'are not final.',
    },
    'OrderFailedEvent',
  ),
}
