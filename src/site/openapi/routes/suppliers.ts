import { supplierCode } from '../../../http/schemas.ts'
import * as examples from '../examples/events.ts'
import { countedHeaders, uncountedHeaders } from '../headers.ts'
import { pathParameter } from '../json_schema.ts'
import { everywhere, refusals, responseRef } from '../refusals.ts'
import { jsonBody } from '../replies.ts'
import type { Paths } from '../types.ts'

/** POST /suppliers/{code}/results and /webhooks: what suppliers push. */
export const supplierPaths: Paths = {
  '/suppliers/{code}/results': {
    post: {
      operationId: 'pushResult',
      tags: ['Suppliers'],
      summary: 'Push a result',
      description:
        'For suppliers, not for partners: the result of an order item, as a `GET` of it would give it. `reference` is the ' +
        'item’s UUID. A repeated or late result changes nothing. Answered with 404 where the supplier’s protocol pushes no results. A good push is not counted against the rate limit, but a ' +
        'result that was pushed before is, after 60 of these a minute. From an address over its budget nothing is taken.',
      security: [{ supplierSignature: [] }],
      parameters: [
        pathParameter('code', 'The supplier’s code.', supplierCode, 'first'),
        {
          name: 'X-Supplier-Timestamp',
          in: 'header',
          required: true,
          description: 'Unix time in seconds, at most 300 from ours; it is part of what is signed.',
          example: '1772444467',
          schema: { type: 'string', pattern: '^[0-9]+$' },
        },
      ],
      requestBody: jsonBody(
        'At most 64 KiB, signed as it stands.',
        'SupplierResult',
        examples.supplierResults,
      ),
      responses: {
        204: {
          description:
            'The result is recorded. Rate-limit headers come only with one that was repeated too often.',
          headers: countedHeaders(),
        },
        ...refusals(['VALIDATION_ERROR', 'UNKNOWN_REFERENCE'], { counted: false }),
        ...refusals(['BAD_SIGNATURE', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']),
        403: responseRef('ForbiddenOrigin'),
        ...everywhere,
      },
    },
  },
  '/suppliers/{code}/webhooks': {
    post: {
      operationId: 'pushEvent',
      tags: ['Suppliers'],
      summary: 'Push an event',
      description:
        'For suppliers, not for partners: the events of protocols that push no signed results, in their own form; shown is ' +
        'that of another service of this family. What an event says is not believed: it is a reason to ask the supplier. ' +
        'A repeated event, and one about an order that is not ours, changes nothing. A good one is not counted against ' +
        'the rate limit.',
      security: [{ upstreamSignature: [] }],
      parameters: [
        pathParameter('code', 'The supplier’s code.', supplierCode, 'upstream'),
        {
          name: 'X-Webhook-Timestamp',
          in: 'header',
          required: true,
          description: 'Unix time in seconds, at most 300 from ours; it is part of what is signed.',
          example: '1772444467',
          schema: { type: 'string', pattern: '^[0-9]+$' },
        },
      ],
      requestBody: jsonBody(
        'At most 64 KiB, signed as it stands.',
        'OrderCompletedEvent',
        examples.completedEvents,
      ),
      responses: {
        204: { description: 'The event is taken.', headers: uncountedHeaders() },
        ...refusals(['VALIDATION_ERROR'], { counted: false }),
        ...refusals(['BAD_SIGNATURE', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']),
        403: responseRef('ForbiddenOrigin'),
        ...everywhere,
      },
    },
  },
}
