import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { clock } from '../../clock.ts'
import { type BatchOptions, batch } from '../../database/batch.ts'
import { verify } from '../../messages/sign.ts'
import { owners } from '../../sealing/sealing.ts'
import { createAdapters } from '../../suppliers/adapters.ts'
import { type SupplierOutcome, sealOutcome, withoutToken } from '../../suppliers/outcome.ts'
import { mayBeAuthentic, parsePush, pushSchema } from '../../suppliers/push.ts'
import { type HostRules, hostFault, type SupplierUrls } from '../../suppliers/supplier_hosts.ts'
import { readBody } from '../body.ts'
import type { Context } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import { type ErrorName, invalid, refuse } from '../errors.ts'
import type { Admission } from '../middleware/admission.ts'
import { orderCompleted } from '../models/events.ts'
import { supplierCode } from '../schemas.ts'
import { type HeaderParam, param, route } from './route.ts'

const lookUpsAtOnce = 2
const pushesAtOnce = 4
const eventsAtOnce = 2

type Push = { supplier: string; reference: string; outcome: SupplierOutcome }
type Event = {
  supplier: string
  event_id: string
  item_id: string | null
  supplier_order_id: string | null
  says_failed: boolean
  says_delivered: boolean
}

const tag = 'Suppliers'
const description = 'At most 64 KiB; the signature covers its bytes.'
const ofSupplier = (example: string) => param(supplierCode, example, 'The supplier’s code.')
const timestamp = (name: string): HeaderParam => ({
  name,
  required: true,
  description: 'Unix time in seconds, at most 300 s from the service’s clock. The signature covers it.',
  example: '1772444467',
  schema: v.pipe(v.string(), v.regex(/^[0-9]+$/)),
})

/**
 * The results that suppliers push, signed with their tokens. A good push is not counted against the rate limit, unless
 * the supplier repeats more than 60 a minute.
 */
const pushResult = route({
  method: 'post',
  path: '/suppliers/:code/results',
  access: 'supplierSignature',
  id: 'pushResult',
  tag,
  summary: 'Push a result',
  description:
    'For suppliers, not for partners: the result of an order item, in the form of the answer to `GET`. `reference` is ' +
    'the item’s UUID. A repeated or late result changes nothing. 404 if the supplier’s protocol pushes no results. A ' +
    'valid push does not count against the rate limit, except repeated results after 60 of them in a minute. An ' +
    'address over its budget gets 429.',
  params: { code: ofSupplier('first') },
  headers: [timestamp('X-Supplier-Timestamp')],
  body: { schema: pushSchema, description, unread: true },
  answers: { 204: { description: 'The result is recorded.', headers: [] } },
  errors: ['UNKNOWN_REFERENCE', 'BAD_SIGNATURE'],
  keep: ({ db, sealing }) => {
    const findSigner = callPerPush(
      lookUpsAtOnce,
      async (supplier: string) => (await db.call('api.supplier_token', { supplier }))[0],
    )
    const record = callPerPush(
      pushesAtOnce,
      ({ supplier, reference, outcome }: Push) =>
        sealing.store(async () => {
          const knownCodes = (item_id: string) => db.call('api.known_codes', { item_id })
          // guard: a pushed result is sealed
          const result = await sealOutcome(outcome, reference, sealing, knownCodes)
          const push = { supplier, item_id: reference, result }
          const [recorded] = await db.call('api.record_pushed_result', push)
          if (recorded === undefined) throw new Error('api.record_pushed_result returned no row')
          return recorded
        }),
      { isBusy: ({ answer }) => answer === 'busy', keyOf: ({ reference }) => reference },
    )

    return { findSigner, record }
  },
  handle: async (ctx, { config, sealing, admission, metrics, findSigner, record, params: { code: supplier } }) => {
    const signed = {
      timestamp: ctx.get('X-Supplier-Timestamp'),
      signature: ctx.get('X-Supplier-Signature'),
      now: clock.now(),
    }
    const mayBeGood = v.is(supplierCode, supplier) && mayBeAuthentic(signed)
    const signer = mayBeGood ? await ctx.state.databaseTime(() => findSigner(supplier)) : undefined
    // The token of a supplier with another protocol signs no results.
    if (signer?.pushes_results === false) return refuseCounted(ctx, admission, 'NOT_FOUND')
    const token =
      signer && mayUse(signer.token, signer, config)
        ? config.supplierCredential(sealing.open(signer.token, owners.token(supplier)))
        : undefined
    if (token === undefined) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    const rawBody = await readBody(ctx)
    if (typeof rawBody === 'string') return refuseCounted(ctx, admission, rawBody)
    if (!verify({ ...signed, secret: token, body: rawBody, now: clock.now() })) {
      return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    }

    const push = parsePush(rawBody)
    if (!push.ok && push.problem === 'malformed') throw invalid(push.details)
    if (!push.ok) return refuse(ctx, 'UNKNOWN_REFERENCE')
    const { reference } = push
    const outcome = withoutToken(push.outcome, token)
    const recorded = await ctx.state.databaseTime(() => record({ supplier, reference, outcome }))
    const { answer, ended_outcome: ended, ended_seconds: seconds } = recorded
    if (ended !== null && seconds !== null) metrics.endedOrder(ended, seconds)
    if (answer === 'unknown_reference') return refuse(ctx, 'UNKNOWN_REFERENCE')
    if (answer === 'repeated_too_often' && !(await admission.count(ctx))) return
    ctx.status = 204
  },
})

/**
 * The events that suppliers push. The service does not believe an event: it asks the supplier now. An authentic event
 * gets 204 also if it is about no item of ours, because a supplier gives up a receiver that refuses often.
 */
const pushEvent = route({
  method: 'post',
  path: '/suppliers/:code/webhooks',
  access: 'upstreamSignature',
  id: 'pushEvent',
  tag,
  summary: 'Push an event',
  description:
    'For suppliers, not for partners: the events of protocols without signed results, in the protocol’s own form; the ' +
    'example is that of another service of this family. The service does not trust the content: it asks the supplier. ' +
    'A repeated event, and an event about an unknown order, changes nothing. A valid event does not count against the ' +
    'rate limit.',
  params: { code: ofSupplier('upstream') },
  headers: [timestamp('X-Webhook-Timestamp')],
  body: { schema: orderCompleted, description, unread: true },
  answers: { 204: { description: 'The event is accepted.', headers: [] } },
  errors: ['BAD_SIGNATURE'],
  keep: ({ db }) => {
    const adapters = createAdapters()
    const findSecret = callPerPush(
      lookUpsAtOnce,
      async (supplier: string) => (await db.call('api.supplier_push_secret', { supplier }))[0],
    )
    const record = callPerPush(eventsAtOnce, (event: Event) => db.call('api.record_supplier_event', event))

    return { adapters, findSecret, record }
  },
  handle: async (ctx, { config, sealing, admission, adapters, findSecret, record, params: { code: supplier } }) => {
    const isSupplier = v.is(supplierCode, supplier)
    const found = isSupplier ? await ctx.state.databaseTime(() => findSecret(supplier)) : undefined
    const stored = found?.push_secret ?? ''
    const secret =
      found && mayUse(stored, found, config)
        ? config.supplierCredential(sealing.open(stored, owners.pushSecret(supplier)))
        : undefined
    const readEvent = adapters.adapterFor(found?.protocol ?? '')?.readEvent
    if (!secret || !readEvent) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    const rawBody = await readBody(ctx)
    if (typeof rawBody === 'string') return refuseCounted(ctx, admission, rawBody)
    const event = readEvent({ headers: ctx.req.headers, rawBody, secret, now: clock.now() })
    if (!event.ok && event.problem === 'bad_signature') return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    if (!event.ok && event.problem === 'malformed') return refuse(ctx, 'VALIDATION_ERROR')
    ctx.status = 204
    if (!event.ok) return
    const about =
      'reference' in event
        ? { item_id: event.reference, supplier_order_id: null }
        : { item_id: null, supplier_order_id: event.supplierOrderId }
    // A hash, because the supplier may have put a code into it.
    const event_id = createHash('sha256').update(event.eventId).digest('base64url')
    const answer = await ctx.state.databaseTime(() =>
      record({
        ...{ supplier, event_id, ...about },
        ...{ says_failed: event.says === 'failed', says_delivered: event.says === 'delivered' },
      }),
    )
    // The supplier sends it again.
    if (answer === 'busy') refuse(ctx, 'UNAVAILABLE')
  },
})

/** Whether a supplier may use its secret: a setting of the environment belongs to hosts. */
function mayUse(credential: string, found: SupplierUrls & { belongs_to: string | null }, rules: HostRules): boolean {
  return found.belongs_to === null && hostFault(credential, found, rules) === null
}

/** Where suppliers push. No route of theirs needs an api key. */
export const supplierRoutes = [pushResult, pushEvent]

/** Refuses a push that may come from anyone: unlike the push of a supplier, it counts against the rate limit. */
async function refuseCounted(ctx: Context, admission: Admission, error: ErrorName): Promise<void> {
  // An answer to too much work must not make more of it.
  if (error === 'UNAVAILABLE' || (await admission.count(ctx))) refuse(ctx, error)
}

/**
 * Makes a call to the database for each push, at most `inFlight` at once. Pushes are not counted before their sender is
 * known: this bounds what forged ones cost.
 */
function callPerPush<In, Out>(
  inFlight: number,
  call: (push: In) => Promise<Out>,
  options: Pick<BatchOptions<In, Out>, 'isBusy' | 'keyOf'> = {},
): (push: In) => Promise<Out> {
  return batch<In, Out>({
    run: (pushes) => Promise.all(pushes.map(call)),
    max: 1,
    inFlight,
    waitMs: databaseTimeMs,
    ...options,
  })
}
