import { describe, expect, it } from 'vitest'
import { type Signed, signature, verify } from '../../src/messages/sign.ts'
import { deliveryHeaders } from '../../src/webhooks/headers.ts'

const secret = '0123456789abcdef'.repeat(4)

// Computed apart: printf '%s' '<timestamp>.<body>' | openssl dgst -sha256 -hmac <secret>
const vectors: { secret: string; timestamp: number; body: string | Buffer; hex: string }[] = [
  {
    secret,
    timestamp: 1700000000,
    body: '{"event_type":"order.completed"}',
    hex: 'ea2e1dbd94c9f7c51bab12f97d4c66ba4ba33bf30fd8d224d31dd38f28d89389',
  },
  { secret, timestamp: 1700000000, body: '', hex: '4fdbf575b1e3bcca05de673960d9aa043b531a701e7ab7aaec8efb5ebbe1261b' },
  {
    secret: 'f'.repeat(64),
    timestamp: 1893456000,
    body: '{"reason":"Товар закончился"}',
    hex: '9346fccb92225fc8f14bcf0987b4517a863be3c052f8f386046b80fcde051dc2',
  },
  {
    secret,
    timestamp: 1700000000,
    body: Buffer.from([0x00, 0xff, 0x80, 0x0a]),
    hex: '63d74c3f266952c607e91b74bc629fef4d99ec6d3345c323a358e2870fb343fb',
  },
]

describe('a signature', () => {
  it.each(vectors)('equals the one computed apart: $hex', ({ secret, timestamp, body, hex }) => {
    expect(signature(secret, timestamp, body)).toBe(`sha256=${hex}`)
  })

  it('is the same for a string and for its UTF-8 bytes', () => {
    const body = '{"reason":"Товар закончился"}'
    expect(signature(secret, 1, body)).toBe(signature(secret, 1, Buffer.from(body, 'utf8')))
  })
})

describe('a receiver', () => {
  const now = new Date(1_700_000_000_900)
  const body = Buffer.from('{"a":1}')
  const sent = (timestamp: number, changes: Partial<Signed> = {}): Signed => ({
    secret,
    timestamp: String(timestamp),
    signature: signature(secret, timestamp, body),
    body,
    now,
    ...changes,
  })

  it.each([0, 300, -300, 1, -299])('accepts a good signature %i seconds from its clock', (seconds) => {
    expect(verify(sent(1_700_000_000 + seconds))).toBe(true)
  })

  it.each([301, -301, 86_400])('rejects a good signature %i seconds from its clock', (seconds) => {
    expect(verify(sent(1_700_000_000 + seconds))).toBe(false)
  })

  it.each<[string, Partial<Signed>]>([
    ['another body', { body: Buffer.from('{"a":2}') }],
    ['another secret', { secret: 'f'.repeat(64) }],
    ['another timestamp', { timestamp: '1700000001' }],
    ['no signature', { signature: undefined }],
    ['no timestamp', { timestamp: undefined }],
    ['an empty signature', { signature: '' }],
    ['a signature without its prefix', { signature: signature(secret, 1_700_000_000, body).slice(7) }],
    ['a signature in capitals', { signature: signature(secret, 1_700_000_000, body).toUpperCase() }],
    ['a longer signature', { signature: `${signature(secret, 1_700_000_000, body)}0` }],
    ['a signature that is not ASCII', { signature: 'é'.repeat(71) }],
    ['a timestamp with a sign', { timestamp: '+1700000000' }],
    ['a timestamp with a fraction', { timestamp: '1700000000.0' }],
    ['a timestamp in scientific notation', { timestamp: '17e8' }],
  ])('rejects %s', (_what, changes) => {
    expect(verify(sent(1_700_000_000, changes))).toBe(false)
  })

  it('takes the timestamp as it was signed, leading zeros included', () => {
    const timestamp = '01700000000'
    expect(verify(sent(0, { timestamp, signature: signature(secret, timestamp, body) }))).toBe(true)
  })
})

describe('the headers of a delivery', () => {
  const event = { eventId: 'b7f0c1de-0000-4000-8000-000000000001', eventType: 'order.completed', secret }
  const body = Buffer.from('{"event_type":"order.completed"}')

  it('are the five of specification 6.1 and the content type', () => {
    const headers = deliveryHeaders({ ...event, body, now: new Date(1_700_000_000_999) })
    expect(headers).toEqual({
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Service-B2B-Webhook/1.0',
      'X-Idempotency-Key': event.eventId,
      'X-Webhook-Event': 'order.completed',
      'X-Webhook-Timestamp': '1700000000',
      'X-Webhook-Signature': 'sha256=ea2e1dbd94c9f7c51bab12f97d4c66ba4ba33bf30fd8d224d31dd38f28d89389',
    })
  })

  it('are signed again at another time, with the same idempotency key', () => {
    const first = deliveryHeaders({ ...event, body, now: new Date(1_700_000_000_000) })
    const retry = deliveryHeaders({ ...event, body, now: new Date(1_700_000_060_000) })
    expect(retry['X-Webhook-Signature']).not.toBe(first['X-Webhook-Signature'])
    expect(retry['X-Idempotency-Key']).toBe(first['X-Idempotency-Key'])
  })
})
