import { describe, expect, it } from 'vitest'
import { signature } from '../../../src/messages/sign.ts'
import type { SupplierEvent } from '../../../src/suppliers/adapter.ts'
import { readUpstreamEvent } from '../../../src/suppliers/b2b/event.ts'
import { orderEvent } from '../conformance/b2b_driver.ts'

const secret = 'a'.repeat(64)
const reference = crypto.randomUUID()
const data = { orderCode: 'ord_1', externalOrderId: reference, status: 'completed' }
const refused = { ok: false, problem: 'bad_signature' }

function changed(event: SupplierEvent, headers: SupplierEvent['headers']): SupplierEvent {
  return { ...event, headers: { ...event.headers, ...headers } }
}

describe('a webhook of an upstream', () => {
  it.each(['order.completed', 'order.failed'])('%s names the item, with its id in upper or lower case', (type) => {
    const event = orderEvent({ secret, type, data: { ...data, externalOrderId: reference.toUpperCase() } })
    expect(readUpstreamEvent(event)).toEqual({
      ...{ ok: true, eventId: event.headers['x-idempotency-key'], reference },
      says: type === 'order.failed' ? 'failed' : 'delivered',
    })
  })

  it('has the id of its body, because the header with the id is not signed', () => {
    const event = orderEvent({ secret, data })
    const replayed = changed(event, { 'x-idempotency-key': crypto.randomUUID() })
    expect(readUpstreamEvent(replayed)).toEqual(readUpstreamEvent(event))
  })

  it('is refused 301 seconds after it was signed', () => {
    const signedAt = new Date(Date.now() - 301_000)
    expect(readUpstreamEvent(orderEvent({ secret, data, signedAt }))).toEqual(refused)
  })

  it('is refused where one byte of its body is another one', () => {
    const event = orderEvent({ secret, data })
    const rawBody = Buffer.from(event.rawBody.toString().replace('ord_1', 'ord_2'))
    expect(readUpstreamEvent({ ...event, rawBody })).toEqual(refused)
  })

  it('is refused if a header is missing or repeated, and without a secret', () => {
    const event = orderEvent({ secret, data })
    for (const header of ['x-webhook-signature', 'x-webhook-timestamp']) {
      expect(readUpstreamEvent(changed(event, { [header]: undefined }))).toEqual(refused)
      expect(readUpstreamEvent(changed(event, { [header]: ['1', '2'] }))).toEqual(refused)
    }
    expect(readUpstreamEvent(orderEvent({ secret: '', data }))).toEqual(refused)
  })

  it.each([
    ['another type', { type: 'order.created', data }],
    ['an order that is not ours', { data: { ...data, externalOrderId: 'demo-1' } }],
    ['an order without a reference', { data: { orderCode: 'ord_1' } }],
  ])('about %s is ignored', (_, event) => {
    expect(readUpstreamEvent(orderEvent({ secret, ...event }))).toEqual({ ok: false, problem: 'ignored' })
  })

  it('that is signed but is not an event is malformed', () => {
    const malformed = { ok: false, problem: 'malformed' }
    const event = orderEvent({ secret, data: { externalOrderId: 7 } })
    expect(readUpstreamEvent(event)).toEqual(malformed)
    const rawBody = Buffer.from('{"event_id":')
    const timestamp = String(event.headers['x-webhook-timestamp'])
    const headers = { 'x-webhook-signature': signature(secret, timestamp, rawBody) }
    expect(readUpstreamEvent({ ...changed(event, headers), rawBody })).toEqual(malformed)
  })
})
