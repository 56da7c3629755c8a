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

/** A delivery as the service makes it, with changes. */
function delivery(envelope: object = {}, changes: Partial<VerifyOptions> = {}): VerifyOptions {
  const event = {
    event_id: eventId,
    event_type: 'order.completed',
    data: { orderCode: 'ord_1' },
    ...envelope,
  }
  const rawBody = Buffer.from(JSON.stringify(event))
  const headers = deliveryHeaders({ eventId, eventType: event.event_type, body: rawBody, secret, now })
  return { secret, headers, rawBody, now, ...changes }
}

describe('verifyWebhook', () => {
  test.each(vectors)('judges the signature as the vectors say: %s, %s', (...vector) => {
    const [_name, expected, seconds, secret = '', timestamp, given, body = ''] = vector
    const headers = {
      ...(timestamp ? { 'X-Webhook-Timestamp': timestamp } : {}),
      ...(given ? { 'X-Webhook-Signature': given } : {}),
    }
    const rawBody = Buffer.from(body, 'base64')
    const verdict = verifyWebhook({ secret, headers, rawBody, now: new Date(Number(seconds) * 1000) })
    // The bodies of the vectors are no deliveries of whole events: 400 is what comes after a good signature.
    expect(verdict.ok || verdict.status === 400).toBe(expected === 'valid')
  })

  test('returns the event, whatever the headers come in', () => {
    const { headers, ...rest } = delivery()
    const plain = headers as { [name: string]: string }
    const lower = Object.fromEntries(
      Object.entries(plain).map(([name, value]) => [name.toLowerCase(), value]),
    )
    for (const headers of [plain, lower, new Headers(plain)]) {
      expect(verifyWebhook({ ...rest, headers })).toEqual({
        ...{ ok: true, eventId, eventType: 'order.completed' },
        event: JSON.parse(String(rest.rawBody)),
      })
    }
    expect(verifyWebhook({ ...rest, headers, rawBody: String(rest.rawBody) }).ok).toBe(true)
  })

  test('takes a type that it does not know, and returns no event of it', () => {
    const verdict = verifyWebhook(delivery({ event_type: 'order.paused' }))
    expect(verdict).toEqual({ ok: true, eventId, eventType: 'order.paused', event: null })
  })

  test.each<[string, VerifyOptions, number, string]>([
    ['another id', delivery({ event_id: 'e-2' }), 400, 'X-Idempotency-Key is not the event_id'],
    ['no id', delivery({ event_id: undefined }), 400, 'the body is no event'],
    ['no type', delivery({}, signed('{"event_id":"1"}')), 400, 'the body is no event'],
    ['null', delivery({}, signed('null')), 400, 'the body is no event'],
    ['no JSON', delivery({}, signed('<html>')), 400, 'the body is no event'],
    ['no key', delivery({}, signed('{"event_id":"1","event_type":"x"}')), 400, 'no X-Idempotency-Key'],
    ['old', delivery({}, { now: new Date(now.getTime() + 301_000) }), 401, 'stale: signed 301 s ago'],
    [
      'from the future',
      delivery({}, { now: new Date(now.getTime() - 301_000) }),
      401,
      'stale: signed 301 s ahead',
    ],
    [
      'no time to compare with',
      delivery({}, { now: new Date(Number.NaN) }),
      401,
      'stale: signed NaN s ahead',
    ],
    [
      'beyond the tolerance',
      delivery({}, { now: new Date(now.getTime() + 11_000), tolerance: 10 }),
      401,
      'stale: signed 11 s ago',
    ],
    ['a foreign secret', delivery({}, { secret: 'f'.repeat(64) }), 401, 'wrong signature'],
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

  test('does not let a missing secret or a parsed body pass for a forgery', () => {
    expect(() => verifyWebhook(delivery({}, { secret: '' }))).toThrow(
      'the secret is not 64 hexadecimal characters',
    )
    const parsed = { event_id: eventId } as unknown as Uint8Array
    expect(() => verifyWebhook(delivery({}, { rawBody: parsed }))).toThrow(
      'the bytes of the body as they came',
    )
  })
})

/** A body that is signed, and nothing else. */
function signed(rawBody: string): Partial<VerifyOptions> {
  const timestamp = String(now.getTime() / 1000)
  const given = signature(secret, timestamp, rawBody)
  return { rawBody, headers: { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': given } }
}
