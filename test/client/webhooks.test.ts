import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type VerifyOptions, verifyWebhook } from '../../src/client/index.ts'
import { signature } from '../../src/messages/sign.ts'
import { deliveryHeaders } from '../../src/webhooks/headers.ts'

const vectors = readFileSync(join(import.meta.dirname, '../../docs/verify/vectors.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'))

const secret = '0123456789abcdef'.repeat(4)
const eventId = '6f1d2b0e-8c57-4f0a-9d0b-3a1c5e7b2d48'
const now = new Date('2026-03-02T08:00:00.000Z')
const later = (seconds: number) => ({ now: new Date(now.getTime() + seconds * 1000) })

/** A delivery as the service makes it, with changes. */
function delivery(envelope: object = {}, changes: Partial<VerifyOptions> = {}): VerifyOptions {
  const event = { event_id: eventId, event_type: 'order.completed', data: { orderCode: 'ord_1' }, ...envelope }
  const rawBody = Buffer.from(JSON.stringify(event))
  const headers = deliveryHeaders({ eventId, eventType: event.event_type, body: rawBody, secret, now })
  return { secret, headers, rawBody, now, ...changes }
}

/** A signed body without any other header. */
function signed(rawBody: string): VerifyOptions {
  const timestamp = String(now.getTime() / 1000)
  const given = signature(secret, timestamp, rawBody)
  const headers = { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': given }
  return delivery({}, { rawBody, headers })
}

describe('verifyWebhook', () => {
  test.each(vectors)('judges the vector "%s" as %s', (...vector) => {
    const [_name, expected, seconds, secret = '', timestamp, given, body = ''] = vector
    const headers = {
      ...(timestamp ? { 'X-Webhook-Timestamp': timestamp } : {}),
      ...(given ? { 'X-Webhook-Signature': given } : {}),
    }
    const rawBody = Buffer.from(body, 'base64')
    const verdict = verifyWebhook({ secret, headers, rawBody, now: new Date(Number(seconds) * 1000) })
    // The vectors' bodies are not whole events: 400 is the answer after a valid signature.
    expect(verdict.ok || verdict.status === 400).toBe(expected === 'valid')
  })

  test('returns the event for headers and bodies of every type', () => {
    const { headers, ...rest } = delivery()
    const plain = headers as { [name: string]: string }
    const lower = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name.toLowerCase(), value]))
    const event = JSON.parse(String(rest.rawBody))
    for (const headers of [plain, lower, new Headers(plain)])
      expect(verifyWebhook({ ...rest, headers })).toEqual({
        ...{ ok: true, eventId, eventType: 'order.completed', event },
      })
    expect(verifyWebhook({ ...rest, headers, rawBody: String(rest.rawBody) }).ok).toBe(true)
  })

  test('accepts a type that it does not know, without an event', () => {
    const verdict = verifyWebhook(delivery({ event_type: 'order.paused' }))
    expect(verdict).toEqual({ ok: true, eventId, eventType: 'order.paused', event: null })
  })

  test.each<[string, VerifyOptions, number, string]>([
    ['another id', delivery({ event_id: 'e-2' }), 400, 'X-Idempotency-Key is not the event_id'],
    ['a body without an id', delivery({ event_id: undefined }), 400, 'the body is not an event'],
    ['a body without a type', signed('{"event_id":"1"}'), 400, 'the body is not an event'],
    ['null', signed('null'), 400, 'the body is not an event'],
    ['HTML', signed('<html>'), 400, 'the body is not an event'],
    ['no key', signed('{"event_id":"1","event_type":"x"}'), 400, 'no X-Idempotency-Key'],
    ['an old webhook', delivery({}, later(301)), 401, 'stale: signed 301 s ago'],
    ['a webhook from the future', delivery({}, later(-301)), 401, 'stale: signed 301 s ahead'],
    ['an invalid clock', delivery({}, later(Number.NaN)), 401, 'stale: signed NaN s ahead'],
    ['more than the tolerance', delivery({}, { ...later(11), tolerance: 10 }), 401, 'stale: signed 11 s ago'],
    ['another secret', delivery({}, { secret: 'f'.repeat(64) }), 401, 'wrong signature'],
    ['no headers', delivery({}, { headers: {} }), 401, 'no X-Webhook-Signature'],
    [
      'two signatures',
      delivery({}, { headers: { 'x-webhook-signature': ['sha256=1', 'sha256=2'] } }),
      401,
      'no X-Webhook-Signature',
    ],
  ])('rejects %s', (_what, options, status, reason) => {
    expect(verifyWebhook(options)).toEqual({ ok: false, status, reason })
  })

  test('throws for a missing secret and for a parsed body', () => {
    const parsed = { event_id: eventId } as unknown as Uint8Array
    const bytes = 'the bytes of the body as they arrived'
    expect(() => verifyWebhook(delivery({}, { secret: '' }))).toThrow('64 hexadecimal characters')
    expect(() => verifyWebhook(delivery({}, { rawBody: parsed }))).toThrow(bytes)
  })
})
