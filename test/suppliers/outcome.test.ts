import { describe, expect, it } from 'vitest'
import { cardOf } from '../../src/messages/cards.ts'
import { createSealing } from '../../src/sealing/sealing.ts'
import {
  answered as answerOf,
  interpretAnswer,
  type SupplierOutcome,
  sealOutcome,
  withoutToken,
} from '../../src/suppliers/outcome.ts'
import { dataKeysOf } from '../support/data_keys.ts'

const reference = '8f14e45f-ceea-467f-a0e6-3b1c8d6a2f11'
const token = 'secret-token'

function interpret(
  method: 'PUT' | 'GET',
  status: number,
  body: unknown,
  { retryAfter = null, tooLarge = false }: { retryAfter?: number | null; tooLarge?: boolean } = {},
): SupplierOutcome {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return interpretAnswer({ method, reference, token }, { status, retryAfter, tooLarge, body: bytes })
}

function answered(fields: object) {
  const absent = { codes: [], errorCode: null, reason: null, supplierOrderId: null, httpStatus: 200 }
  return { outcome: 'answered', ...absent, ...fields }
}

const methods = ['PUT', 'GET'] as const

describe.each(methods)('an answer to a %s', (method) => {
  it.each([200, 201, 202])('with %i is taken by its status', (httpStatus) => {
    for (const status of ['processing', 'completed', 'failed']) {
      expect(interpret(method, httpStatus, { status })).toEqual(answered({ status, httpStatus }))
    }
  })

  it('keeps the codes, the error code, the reason and the order id', () => {
    const said = { errorCode: 'OUT_OF_STOCK', reason: 'Нет', supplierOrderId: '7' }
    const fields = { status: 'failed', codes: ['A', 'B'], ...said }
    expect(interpret(method, 200, { ...fields, reference, more: 1 })).toEqual(answered(fields))
  })

  it('keeps what a unit costs, and leaves out what is no price or no currency', () => {
    const say = (said: object) => interpret(method, 200, { status: 'completed', ...said })
    const charged = { status: 'completed', unitPrice: 4.755 }
    expect(say({ unitPrice: 4.755, currency: 'EUR' })).toEqual(answered({ ...charged, currency: 'EUR' }))
    for (const currency of [null, 'euro', 7]) expect(say({ unitPrice: 4.755, currency })).toEqual(answered(charged))
    for (const unitPrice of [null, '4.75', -1, 1e10]) {
      expect(say({ unitPrice, currency: 'EUR' })).toEqual(answered({ status: 'completed' }))
    }
  })

  it('keeps the parts of codes as the texts that stand for them, and null parts and other members do not count', () => {
    const parts = { pin: '0042', serial: 'S "1"', url: 'https://x.example/?a=1', expiresAt: '2027-02-28' }
    const given = [
      'A',
      { code: 'B' },
      { code: 'C', pin: null, more: 1 },
      { expiresAt: '2027-12-31T10:00:00Z', code: 'D' },
    ]
    const { codes } = interpret(method, 200, { status: 'completed', codes: [...given, { code: 'E', ...parts }] }) as {
      codes: string[]
    }
    expect(codes.slice(0, 3)).toEqual(['A', 'B', 'C'])
    expect(codes.map(cardOf).slice(3)).toEqual([
      { code: 'D', expiresAt: '2027-12-31T10:00:00Z' },
      { code: 'E', ...parts },
    ])
  })

  it.each([
    { pin: '' },
    { pin: 1 },
    { pin: 'x'.repeat(201) },
    { serial: '\u0000' },
    { url: 'ftp://x.example/' },
    { url: `https://x.example/${'x'.repeat(2000)}` },
    { expiresAt: '2027-02-29' },
    { expiresAt: '31.12.2027' },
    { expiresAt: '2027-12-31T25:00:00Z' },
    { code: 'card:{"code" : "A"}' },
    { code: undefined },
  ])('is held with a code of %o, and keeps the codes that make sense', (wrong) => {
    const codes = ['B', { code: 'A', ...wrong }]
    const held = {
      outcome: 'hold',
      error: 'the answer is unusable: codes[1] makes no sense as a code or its parts',
      codes: 'code' in wrong ? ['B'] : ['B', 'A'],
      supplierOrderId: '7',
    }
    for (const status of ['completed', 'failed']) {
      expect(interpret(method, 200, { status, codes, supplierOrderId: '7' })).toMatchObject(held)
    }
    expect(interpret(method, 200, { status: 'processing', codes })).toMatchObject({ outcome: 'answered' })
    expect(interpret(method, 200, { status: 'completed', codes, reference: 'another' })).toMatchObject({
      error: 'the answer is unusable: it names another order',
    })
    for (const also of [{ errorCode: 5 }, { codes: [...codes, ''] }, { codes: [...codes, null] }]) {
      expect(interpret(method, 200, { status: 'completed', codes, ...also })).toMatchObject({ outcome: 'unknown' })
    }
  })

  it('loses the parts of codes in its other texts', async () => {
    const sealing = createSealing(dataKeysOf('k1'), 'fingerprint')
    const codes = [{ code: 'CODE-1', pin: '12345678', serial: '0042', url: 'https://x.example/r' }]
    const errorCode = 'NO_12345678'
    const outcome = interpret(method, 200, { status: 'failed', codes, errorCode, supplierOrderId: '0042' })
    expect(await sealOutcome(outcome, reference, sealing, async () => null)).toMatchObject({
      errorCode: 'NO_[code]',
      supplierOrderId: null,
    })
    const open = interpret(method, 200, { status: 'processing', codes, errorCode })
    expect(open).toMatchObject({ codes: [], errorCode: 'NO_[code]' })
  })

  it('may have null and blank texts for absent fields', () => {
    const body = {
      status: 'completed',
      codes: null,
      errorCode: null,
      reason: ' ',
      supplierOrderId: '',
      reference: null,
    }
    expect(interpret(method, 200, body)).toEqual(answered({ status: 'completed' }))
  })

  it('ignores all codes that come with processing', () => {
    for (const codes of ['A', [1], { a: 1 }, ['card:{x', 'sealed:k1:x', ' ', 'A'.repeat(1001)], [{ code: 7 }]]) {
      expect(interpret(method, 202, { status: 'processing', codes })).toEqual(
        answered({ status: 'processing', httpStatus: 202 }),
      )
    }
    expect(interpret(method, 202, { status: 'processing', codes: ['A', { code: 'B', pin: '1' }] })).toEqual(
      answered({ status: 'processing', httpStatus: 202, ignoredCodes: ['A', 'B', '1'] }),
    )
  })

  it('keeps each code sealed once that it gives before the end, up to a hundred of an item', async () => {
    const sealing = createSealing(dataKeysOf('k1'), 'fingerprint')
    const keptOf = async (given: string[], known: string[]) => {
      const outcome = interpret(method, 200, { status: 'processing', codes: given })
      const cards = JSON.stringify(known.map((code) => ({ code })))
      const sealed = await sealOutcome(outcome, reference, sealing, async () => cards)
      expect(sealed).not.toHaveProperty('ignoredCodes')
      return 'codes' in sealed ? sealed.codes.map((code) => sealing.openCode(code, reference)) : []
    }
    expect(await keptOf(['A', 'B', 'B'], ['A'])).toEqual(['B'])
    const many = Array.from({ length: 150 }, (_, n) => `C${n}`)
    expect(await keptOf(many, ['A'])).toEqual(many.slice(0, 99))
    expect(await keptOf(['B'], many)).toEqual([])
  })

  it('cuts a reason that is too long', () => {
    const outcome = interpret(method, 200, { status: 'failed', reason: '😀'.repeat(600) })
    expect(outcome).toMatchObject({ status: 'failed', reason: '😀'.repeat(500) })
  })

  it('may name our reference in another case', () => {
    const outcome = interpret(method, 200, { status: 'completed', reference: reference.toUpperCase() })
    expect(outcome.outcome).toBe('answered')
  })

  it.each([
    ['an empty body', ''],
    ['HTML', '<html>completed</html>'],
    ['half of a JSON text', '{"status":"comple'],
    ['a text that is not UTF-8', Buffer.from([...Buffer.from('{"status":"completed","reason":"'), 0xff, 0x22, 0x7d])],
    ['null', 'null'],
    ['an array', [{ status: 'completed' }]],
    ['a string', '"completed"'],
    ['no status', { codes: [] }],
    ['a null status', { status: null }],
    ['an unknown status', { status: 'done' }],
    ['a status in capitals', { status: 'COMPLETED' }],
    ['codes that are no array', { status: 'completed', codes: 'A' }],
    ['a code that is a number', { status: 'completed', codes: [1] }],
    ['an empty code', { status: 'completed', codes: [''] }],
    ['a blank code', { status: 'completed', codes: [' '] }],
    ['a code of 1001 characters', { status: 'completed', codes: ['A'.repeat(1001)] }],
    ['a code of more than 2000 bytes', { status: 'completed', codes: ['語'.repeat(700)] }],
    ['10,001 codes', { status: 'completed', codes: Array(10_001).fill('A') }],
    ['a NUL in a code', { status: 'completed', codes: ['A\u0000'] }],
    ['half a surrogate pair in a code', '{"status":"completed","codes":["\\ud83d"]}'],
    ['a NUL in the error code', { status: 'failed', errorCode: '\u0000' }],
    ['a NUL in the order id', { status: 'failed', supplierOrderId: '\u0000' }],
    ['a reason that is an object', { status: 'failed', reason: {} }],
    ['an error code that is a number', { status: 'failed', errorCode: 5 }],
    ['an order id that is a number', { status: 'failed', supplierOrderId: 5 }],
    ['an error code of 201 characters', { status: 'failed', errorCode: 'A'.repeat(201) }],
    ['a reference that is a number', { status: 'completed', reference: 5 }],
    ['another reference', { status: 'completed', reference: 'c9f0f895-fb98-4b91-99f5-1fd0297e236d' }],
  ])('that is or has %s is unusable', (_, body) => {
    const outcome = interpret(method, 200, body)
    expect(outcome).toMatchObject({ outcome: 'unknown', httpStatus: 200, retryAfter: null })
    expect(outcome).toHaveProperty('error', expect.stringMatching(/^the answer is unusable: /))
  })

  it.each([203, 204, 206, 301, 302, 307, 308, 401, 403, 408, 409, 425, 429, 500, 502, 503, 504, 599])(
    'with %i has an unknown outcome, whatever its body is',
    (httpStatus) => {
      for (const body of [{ status: 'completed' }, { status: 'failed', errorCode: 'X' }, '']) {
        expect(interpret(method, httpStatus, body)).toMatchObject({
          outcome: 'unknown',
          error: `HTTP ${httpStatus}`,
          httpStatus,
        })
      }
    },
  )

  it('says why it is unusable, without the values', () => {
    const outcome = interpret(method, 200, { status: 'completed', codes: ['GOOD', 'B'.repeat(1001)] })
    const problem = 'codes[1] is longer than 1000 characters'
    expect(outcome).toMatchObject({ error: `the answer is unusable: ${problem}` })
  })

  it('that is unusable is quoted: 2000 characters, storable, without the token', () => {
    const outcome = interpret(method, 502, `${token}\u0000 ${'😀'.repeat(2000)}`)
    const raw = 'raw' in outcome ? (outcome.raw ?? '') : ''
    expect(raw.startsWith('[token]\uFFFD 😀')).toBe(true)
    expect(raw.length).toBe(2000)
    expect(raw.isWellFormed()).toBe(true)
    expect(interpret(method, 502, '')).toMatchObject({ raw: null })
  })

  it('survives JSON that is nested without end', () => {
    const nested = `{"status":"completed","codes":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    expect(interpret(method, 200, nested).outcome).toBe('unknown')
  })
})

describe('a 404', () => {
  it('to a GET means never received', () => {
    expect(interpret('GET', 404, '<html>')).toEqual({ outcome: 'not_received' })
  })

  it('to a PUT has an unknown outcome', () => {
    expect(interpret('PUT', 404, { status: 'failed' })).toMatchObject({ outcome: 'unknown', httpStatus: 404 })
  })
})

describe('any other 4xx', () => {
  const refusals = [400, 402, 405, 406, 410, 412, 413, 415, 422, 423, 451, 499]

  it.each(refusals)('%i to a GET has an unknown outcome', (status) => {
    expect(interpret('GET', status, { status: 'failed' })).toMatchObject({ outcome: 'unknown', httpStatus: status })
  })

  it.each(refusals)('%i to a PUT refuses for good', (httpStatus) => {
    const fields = { errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден', supplierOrderId: 's-1' }
    for (const status of ['failed', null, undefined]) {
      expect(interpret('PUT', httpStatus, { ...fields, status })).toEqual(
        answered({ ...fields, status: 'failed', httpStatus }),
      )
    }
  })

  it('to a PUT keeps codes that came with it', () => {
    const outcome = interpret('PUT', 422, { codes: ['A'], errorCode: 'OUT_OF_STOCK' })
    expect(outcome).toEqual(answered({ status: 'failed', codes: ['A'], errorCode: 'OUT_OF_STOCK', httpStatus: 422 }))
  })

  it.each([
    ['nothing', ''],
    ['HTML', '<html>'],
    ['an array', []],
    ['null', 'null'],
    ['problem details with a number for a status', { status: 422, title: 'No' }],
    ['an error code of the wrong type', { errorCode: 5, reason: 'Нет' }],
    ['a NUL', { errorCode: 'A\u0000' }],
  ])('to a PUT refuses without details where its body is %s', (_, body) => {
    expect(interpret('PUT', 422, body)).toEqual(answered({ status: 'failed', httpStatus: 422 }))
  })

  it('to a PUT refuses without details where its body is too large', () => {
    const outcome = interpret('PUT', 422, '{}', { tooLarge: true })
    expect(outcome).toEqual(answered({ status: 'failed', httpStatus: 422 }))
  })

  it.each(['processing', 'completed'])('to a PUT whose body says %s is unusable', (status) => {
    for (const codes of [[], 'wrong']) {
      expect(interpret('PUT', 422, { status, codes })).toMatchObject({ outcome: 'unknown', httpStatus: 422 })
    }
  })

  it('to a PUT that speaks of another reference is unusable', () => {
    const outcome = interpret('PUT', 422, { reference: 'c9f0f895-fb98-4b91-99f5-1fd0297e236d' })
    expect(outcome).toMatchObject({ outcome: 'unknown', httpStatus: 422 })
  })
})

it('the echo of our token is taken out of every field of an outcome', () => {
  const ours = 'a-secret "token" of ours'
  const outcome = answerOf(
    { status: 'failed', reference: null, codes: [ours], errorCode: `E ${ours}`, reason: ours, supplierOrderId: ours },
    200,
  )
  expect(JSON.stringify(withoutToken(outcome, ours))).not.toContain('secret')
  expect(withoutToken(outcome, ours)).toMatchObject({ errorCode: 'E [token]', reason: '[token]', codes: ['[token]'] })
  expect(withoutToken(outcome, 'another-token')).toEqual(outcome)
  expect(withoutToken(outcome, 'answered')).toEqual(outcome)
})

describe('an outcome as it is stored with DATA_KEYS', () => {
  const sealing = createSealing(dataKeysOf('k1'), 'x')
  const stored = (fields: object) =>
    sealOutcome(answered({ status: 'completed', ...fields }) as SupplierOutcome, reference, sealing, async () => null)

  it('repeats no code in its other texts', async () => {
    const code = 'GIFT-2031-CODE'
    expect(
      await stored({
        codes: [code, 'A1'],
        errorCode: `E_${code}`,
        reason: `Код ${code}`,
        supplierOrderId: `id-${code}`,
      }),
    ).toMatchObject({ errorCode: 'E_[code]', reason: 'Код [code]', supplierOrderId: null })
    expect(await stored({ codes: ['A1'], errorCode: 'A1', reason: 'Заказ A12', supplierOrderId: 'A1' })).toMatchObject({
      errorCode: '[code]',
      reason: 'Заказ A12',
      supplierOrderId: null,
    })
  })

  it('quotes no word of the reason that looks like a code', async () => {
    const cards = ['4111 1111 1111 1111', '6006491500000012345', '4111  1111  1111  1111', '4111--1111--1111--1111']
    for (const code of ['ABCD1234', 'ABC-DEF-GHI', 'ABC--DEF--GHI', 'X7K2P-9QWRT-3MNBV', ...cards])
      expect(await stored({ reason: `Ваш код: ${code}.` }), code).toMatchObject({ reason: 'Ваш код: [code].' })
    expect(await stored({ reason: 'Код-ABCD1234 і Schlüssel-ABCD1234' })).toMatchObject({
      reason: 'Код-[code] і Schlüssel-[code]',
    })
    const ordinary = 'Игрок 1234567890 не найден, регион EU-WEST, заказ от 2026-11-24, UNAVAILABLE'
    expect(await stored({ reason: ordinary })).toMatchObject({ reason: ordinary })
  })
})

it('U+0000 in a reason does not make an answer unusable', () => {
  const said = { status: 'failed', reason: 'Нет\u0000 товара\ud800' }
  expect(interpret('GET', 200, said)).toEqual(answered({ status: 'failed', reason: 'Нет\uFFFD товара\uFFFD' }))
})

it('the texts of an answer that is processing repeat none of the codes that it gives', () => {
  const said = {
    status: 'processing',
    codes: ['GIFT2031CODE'],
    reason: 'GIFT2031CODE',
    supplierOrderId: 'GIFT2031CODE',
  }
  const outcome = answered({ status: 'processing', reason: '[code]', ignoredCodes: said.codes })
  expect(interpret('GET', 200, said)).toEqual(outcome)
})
