import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parsePush, type SignedPush, verifyPush } from '../../src/suppliers/push.ts'

const token = 'the-token-of-a-supplier'
const now = new Date('2026-03-01T12:00:00.900Z')
const nowSeconds = 1772366400
const reference = '8f14e45f-ceea-467f-a0e6-3b1c8d6a2f11'
const rawBody = Buffer.from(`{"reference":"${reference}","status":"completed"}`)

function hmac(timestamp: string | number, body: Buffer | string = rawBody, secret = token): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

function push(overrides: Partial<SignedPush> = {}): SignedPush {
  const timestamp = String(nowSeconds)
  return { token, timestamp, signature: `sha256=${hmac(timestamp)}`, rawBody, now, ...overrides }
}

describe('a push is authentic', () => {
  it('where timestamp and body are signed with the token', () => {
    expect(verifyPush(push())).toBe(true)
    expect(verifyPush(push({ rawBody: rawBody.toString() }))).toBe(true)
  })

  it.each([-300, 300])('where its timestamp is %i seconds from now', (difference) => {
    const timestamp = String(nowSeconds + difference)
    expect(verifyPush(push({ timestamp, signature: `sha256=${hmac(timestamp)}` }))).toBe(true)
  })
})

describe('a push is not authentic', () => {
  it.each([-301, 301])('where its timestamp is %i seconds from now', (difference) => {
    const timestamp = String(nowSeconds + difference)
    expect(verifyPush(push({ timestamp, signature: `sha256=${hmac(timestamp)}` }))).toBe(false)
  })

  it.each(['', ' ', 'now', '1e9', '-1', `${nowSeconds}.0`, `0x${nowSeconds.toString(16)}`, ` ${nowSeconds}`])(
    'where its timestamp is %j',
    (timestamp) => {
      expect(verifyPush(push({ timestamp, signature: `sha256=${hmac(timestamp)}` }))).toBe(false)
    },
  )

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['without its prefix', hmac(nowSeconds)],
    ['shortened', `sha256=${hmac(nowSeconds).slice(0, -1)}`],
    ['of another token', `sha256=${hmac(nowSeconds, rawBody, 'another')}`],
    ['of another body', `sha256=${hmac(nowSeconds, '{}')}`],
    ['of another timestamp', `sha256=${hmac(nowSeconds + 1)}`],
    ['of another algorithm', `sha512=${hmac(nowSeconds)}`],
  ])('where its signature is %s', (_, signature) => {
    expect(verifyPush(push({ signature }))).toBe(false)
  })

  it('where its timestamp is absent', () => {
    expect(verifyPush(push({ timestamp: undefined, signature: `sha256=${hmac('undefined')}` }))).toBe(false)
  })
})

describe('a pushed body', () => {
  it('is read as an answer', () => {
    const result = { status: 'failed', codes: ['A'], errorCode: 'OUT_OF_STOCK', reason: 'Нет', supplierOrderId: '7' }
    const outcome = { outcome: 'answered', ...result, httpStatus: null }
    expect(parsePush(Buffer.from(JSON.stringify({ reference, ...result })))).toEqual({ ok: true, reference, outcome })
    expect(parsePush(JSON.stringify({ reference, ...result }))).toEqual({ ok: true, reference, outcome })
  })

  it('may say processing, whose codes are ignored', () => {
    expect(parsePush(JSON.stringify({ reference, status: 'processing', codes: ['A'] }))).toMatchObject({
      ok: true,
      outcome: { outcome: 'answered', status: 'processing', codes: [] },
    })
  })

  it('may write the reference in capitals', () => {
    const body = JSON.stringify({ reference: reference.toUpperCase(), status: 'completed' })
    expect(parsePush(body)).toMatchObject({ ok: true, reference })
  })

  it('without a reference is refused with the reason', () => {
    const details = [{ path: 'reference', message: 'is required' }]
    expect(parsePush('{"status":"completed"}')).toEqual({ ok: false, problem: 'malformed', details })
  })

  it('whose reference is no UUID is about an unknown order', () => {
    for (const unknown of ['', 'order-1', `${reference}0`, '\u0000']) {
      expect(parsePush(JSON.stringify({ reference: unknown, status: 'completed' }))).toEqual({
        ok: false,
        problem: 'unknown_reference',
      })
    }
  })

  it.each([
    ['nothing', '', ''],
    ['not JSON', 'status=completed', ''],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), ''],
    ['null', 'null', ''],
    ['an array', '[]', 'reference'],
    ['without a reference', '{"status":"completed"}', 'reference'],
    ['with a null reference', '{"reference":null,"status":"completed"}', 'reference'],
    ['without a status', `{"reference":"${reference}"}`, 'status'],
    ['with an unknown status', `{"reference":"${reference}","status":"done"}`, 'status'],
    ['with a wrong code', `{"reference":"${reference}","status":"completed","codes":["A",1]}`, 'codes[1]'],
    ['with a NUL', `{"reference":"${reference}","status":"failed","reason":"\\u0000"}`, 'reason'],
  ])('that is %s is malformed', (_, body, path) => {
    expect(parsePush(body)).toMatchObject({ ok: false, problem: 'malformed', details: [{ path }] })
  })
})
