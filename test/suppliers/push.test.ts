import { describe, expect, it } from 'vitest'
import { verify } from '../../src/messages/sign.ts'
import { parsePush } from '../../src/suppliers/push.ts'
import { signedPush } from '../support/signed.ts'

const reference = '8f14e45f-ceea-467f-a0e6-3b1c8d6a2f11'

it('a push is authentic if it is signed with the token of its supplier', () => {
  const rawBody = Buffer.from(`{"reference":"${reference}","status":"completed"}`)
  const { 'x-supplier-timestamp': timestamp, 'x-supplier-signature': signature } = signedPush(rawBody, 'token')
  const push = { secret: 'token', timestamp, signature, body: rawBody, now: new Date() }
  expect(verify(push)).toBe(true)
  expect(verify({ ...push, body: rawBody.toString() })).toBe(true)
  expect(verify({ ...push, secret: 'another token' })).toBe(false)
})

describe('a pushed body', () => {
  const parse = (body: object) => parsePush(Buffer.from(JSON.stringify(body)))

  it('is read as an answer', () => {
    const result = { status: 'failed', codes: ['A'], errorCode: 'OUT_OF_STOCK', reason: 'Нет', supplierOrderId: '7' }
    const outcome = { outcome: 'answered', ...result, httpStatus: null }
    expect(parse({ reference, ...result })).toEqual({ ok: true, reference, outcome })
  })

  it('may say processing, whose codes are ignored', () => {
    expect(parse({ reference, status: 'processing', codes: ['A'] })).toMatchObject({
      ok: true,
      outcome: { outcome: 'answered', status: 'processing', codes: [] },
    })
  })

  it('may write the reference in capitals', () => {
    expect(parse({ reference: reference.toUpperCase(), status: 'completed' })).toMatchObject({ ok: true, reference })
  })

  it('whose reference is no UUID is about an unknown order', () => {
    for (const unknown of ['', 'order-1', `${reference}0`, '\u0000']) {
      expect(parse({ reference: unknown, status: 'completed' })).toEqual({ ok: false, problem: 'unknown_reference' })
    }
  })

  const noJson = 'must be JSON in UTF-8'
  const some = expect.any(String)
  it.each<[string, string | Uint8Array, string, string]>([
    ['nothing', '', '', noJson],
    ['not JSON', 'status=completed', '', noJson],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), '', noJson],
    ['null', 'null', '', 'must be an object'],
    ['an array', '[]', 'reference', 'is required'],
    ['without a reference', '{"status":"completed"}', 'reference', 'is required'],
    ['with a null reference', '{"reference":null,"status":"completed"}', 'reference', 'must be a string'],
    ['without a status', `{"reference":"${reference}"}`, 'status', some],
    ['with an unknown status', `{"reference":"${reference}","status":"done"}`, 'status', some],
    ['with a wrong code', `{"reference":"${reference}","status":"completed","codes":["A",1]}`, 'codes[1]', some],
    ['with a NUL', `{"reference":"${reference}","status":"failed","errorCode":"\\u0000"}`, 'errorCode', some],
  ])('that is %s is malformed', (_, body, path, message) => {
    expect(parsePush(Buffer.from(body))).toEqual({ ok: false, problem: 'malformed', details: [{ path, message }] })
  })
})
