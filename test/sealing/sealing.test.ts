import { describe, expect, test } from 'vitest'
import { createSealing, noSealing, Unreadable } from '../../src/sealing/sealing.ts'
import { dataKeysOf, joined } from '../support/data_keys.ts'

const item = '0190a0b0-0000-7000-8000-000000000001'
const other = '0190a0b0-0000-7000-8000-000000000002'

const keys = dataKeysOf('k1')
const sealing = createSealing(keys, 'fingerprint key')

/** A code as `core.shown_code` renders it in the JSON of an order. */
const rendered = (sealed: string, of = item) => `{"code" : ${JSON.stringify(`${sealed}:${of}`)}}`

describe('a sealed text', () => {
  test('shows nothing of the text and opens to it', () => {
    const sealed = sealing.seal('CODE-ÄÖ-"1"', 'supplier a')
    expect(sealed).toMatch(/^sealed:k1:[A-Za-z0-9_-]+$/)
    expect(Buffer.from(sealed.split(':')[2] ?? '', 'base64url').toString('latin1')).not.toContain('CODE')
    expect(sealing.open(sealed, 'supplier a')).toBe('CODE-ÄÖ-"1"')
  })

  test('differs each time, because its nonce is random', () => {
    expect(sealing.seal('CODE', 'x')).not.toBe(sealing.seal('CODE', 'x'))
  })

  test('does not open for another owner, with another key, or with a changed byte', () => {
    const sealed = sealing.seal('CODE', 'supplier a')
    expect(() => sealing.open(sealed, 'supplier b')).toThrow(Unreadable)
    const sameId = createSealing(dataKeysOf('k1'), 'fingerprint key')
    expect(() => sameId.open(sealed, 'supplier a')).toThrow(/what is sealed for supplier a does not open/)
    expect(() => sealing.open(`${sealed.slice(0, -1)}!`, 'supplier a')).toThrow(Unreadable)
    expect(() => sealing.open('sealed:k1:', 'supplier a')).toThrow(Unreadable)
    expect(() => noSealing.open(sealed, 'supplier a')).toThrow(Unreadable)
  })

  test('opens with every key of the list, and the first key seals', () => {
    const rotated = createSealing(joined(dataKeysOf('k2'), keys), 'fingerprint key')
    expect(rotated.open(sealing.seal('CODE', 'x'), 'x')).toBe('CODE')
    expect(rotated.seal('CODE', 'x')).toMatch(/^sealed:k2:/)
  })
})

describe('the fingerprint behind a sealed code', () => {
  const fingerprint = (sealed: string) => sealed.split(':')[3]

  test('is the same for the same code under any key and at any item', () => {
    const rotated = createSealing(dataKeysOf('k2'), 'fingerprint key')
    expect(fingerprint(rotated.sealCode('CODE', other))).toBe(fingerprint(sealing.sealCode('CODE', item)))
  })

  test('differs between codes, and between databases', () => {
    const elsewhere = createSealing(keys, 'another fingerprint key')
    expect(fingerprint(sealing.sealCode('CODE-2', item))).not.toBe(fingerprint(sealing.sealCode('CODE', item)))
    expect(fingerprint(elsewhere.sealCode('CODE', item))).not.toBe(fingerprint(sealing.sealCode('CODE', item)))
  })
})

describe('codes in JSON', () => {
  test('open to what PostgreSQL writes for the code itself', async () => {
    const code = 'A"B\\C\n\u0001é'
    const json = `{"items" : [{"cdKeys" : [${rendered(sealing.sealCode(code, item))}, {"code" : "plain"}]}]}`
    expect(await sealing.openCodes(json)).toBe(
      String.raw`{"items" : [{"cdKeys" : [{"code" : "A\"B\\C\n\u0001é"}, {"code" : "plain"}]}]}`,
    )
  })

  test('do not open for another item', async () => {
    await expect(sealing.openCodes(rendered(sealing.sealCode('CODE', item), other))).rejects.toThrow(Unreadable)
  })

  test('let other work pass while many of them are opened or sealed', async () => {
    const codes = Array.from({ length: 2_000 }, (_, n) => `CODE-${n}`)
    let passed = 0
    let timer = setImmediate(function pass() {
      passed += 1
      timer = setImmediate(pass)
    })
    const sealed = await sealing.sealCodes(codes, item)
    expect(passed).toBeGreaterThan(10)
    passed = 0
    const json = await sealing.openCodes(`[${sealed.map((code) => rendered(code)).join(', ')}]`)
    clearImmediate(timer)
    expect(passed).toBeGreaterThan(10)
    expect(JSON.parse(json).map(({ code }: { code: string }) => code)).toEqual(codes)
  })

  test('are not opened where a partner wrote them into a text', async () => {
    const sealed = `${sealing.sealCode('CODE', item)}:${item}`
    const forged = [sealed, `{"code" : "${sealed}"}`, `{`, `"code" : "${sealed}"}`]
    for (const externalOrderId of forged) {
      const json = `{"externalOrderId" : ${JSON.stringify(externalOrderId)}, "status" : "completed"}`
      expect(await sealing.openCodes(json)).toBe(json)
    }
  })
})

test('without data keys everything stays as it is', async () => {
  expect(noSealing.seal('SECRET', 'x')).toBe('SECRET')
  expect(noSealing.sealCode('CODE', item)).toBe('CODE')
  expect(await noSealing.openCodes('{"code" : "CODE"}')).toBe('{"code" : "CODE"}')
})

test('a process without data keys gives no sealed code away as a code', async () => {
  await expect(noSealing.openCodes(`{"code" : "sealed:k1:aaaa:bbbb:${item}"}`)).rejects.toThrow(Unreadable)
})
