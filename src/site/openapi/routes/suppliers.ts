import { supplierCode } from '../../../http/schemas.ts'
import * as examples from '../examples/events.ts'
import { countedHeaders } from '../headers.ts'
import { pathParameter } from '../json_schema.ts'
import { jsonBody, operation } from '../operation.ts'
import { commonResponses, responseRef } from '../refusals.ts'
import type { Parameter, Paths } from '../types.ts'

const tag = 'Suppliers'
const common = { 403: responseRef('ForbiddenOrigin'), ...commonResponses }
const signed = 'At most 64 KiB; the signature covers its bytes.'
const timestamp = (name: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description: 'Unix time in seconds, at most 300 s from the service’s clock. The signature covers it.',
  example: '1772444467',
  schema: { type: 'string', pattern: '^[0-9]+$' },
})

/** POST /suppliers/{code}/results and /webhooks: the pushes of suppliers. */
export const supplierPaths: Paths = {
  '/suppliers/{code}/results': {
    post: operation({
      id: 'pushResult',
      tag,
      summary: 'Push a result',
      description:
        'For suppliers, not for partners: the result of an order item, in the form of the answer to `GET`. ' +
        '`reference` is the item’s UUID. A repeated or late result changes nothing. 404 if the supplier’s ' +
        'protocol pushes no results. A valid push does not count against the rate limit, except repeated results ' +
        'after 60 of them in a minute. An address over its budget gets 429.',
      access: 'supplierSignature',
      parameters: [
        pathParameter('code', 'The supplier’s code.', supplierCode, 'first'),
        timestamp('X-Supplier-Timestamp'),
      ],
      body: jsonBody('SupplierResult', examples.supplierResults, signed),
      answers: { 204: { description: 'The result is recorded.', headers: countedHeaders() } },
      errors: ['UNKNOWN_REFERENCE', 'BAD_SIGNATURE'],
      common,
    }),
  },
  '/suppliers/{code}/webhooks': {
    post: operation({
      id: 'pushEvent',
      tag,
      summary: 'Push an event',
      description:
        'For suppliers, not for partners: the events of protocols without signed results, in the protocol’s own ' +
        'form; the example is that of another service of this family. The service does not trust the content: it ' +
        'asks the supplier. A repeated event, and an event about an unknown order, changes nothing. A valid ' +
        'event does not count against the rate limit.',
      access: 'upstreamSignature',
      parameters: [
        pathParameter('code', 'The supplier’s code.', supplierCode, 'upstream'),
        timestamp('X-Webhook-Timestamp'),
      ],
      body: jsonBody('OrderCompletedEvent', examples.completedEvents, signed),
      answers: { 204: { description: 'The event is accepted.', headers: countedHeaders() } },
      errors: ['BAD_SIGNATURE'],
      common,
    }),
  },
}
