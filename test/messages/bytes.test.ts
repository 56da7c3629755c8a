import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createBytes, readBytes } from '../../src/messages/bytes.ts'

const crumbs = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]))

describe('bytes that come in pieces', () => {
  test('are all there, in their order', () => {
    const bytes = createBytes(1_000)
    for (const piece of ['one ', '', 'two ', 'x'.repeat(500)]) {
      expect(bytes.add(Buffer.from(piece))).toBe(true)
    }
    expect(String(bytes.all())).toBe(`one two ${'x'.repeat(500)}`)
  })

  test('of one byte take up at most twice their number', () => {
    const bytes = createBytes(65_536)
    for (const piece of crumbs('x'.repeat(40_000))) {
      bytes.add(piece)
      expect(bytes.capacity).toBeLessThanOrEqual(Math.max(256, 2 * bytes.size))
    }
    expect(bytes.size).toBe(40_000)
  })

  test('pass the limit with no piece', () => {
    const bytes = createBytes(5)
    expect(bytes.add(Buffer.from('1234'))).toBe(true)
    expect(bytes.add(Buffer.from('56'))).toBe(false)
    expect(bytes.add(Buffer.from('5'))).toBe(true)
    expect(String(bytes.all())).toBe('12345')
    expect(bytes.capacity).toBe(5)
  })
})

describe('a stream', () => {
  test('is read to its end', async () => {
    const read = await readBytes(Readable.from(crumbs('all of it')), 9)
    expect([String(read.bytes), read.tooLarge]).toEqual(['all of it', false])
  })

  test('that is too large is read to its end as well, but not kept', async () => {
    const stream = Readable.from(crumbs('all of it'))
    const read = await readBytes(stream, 3)
    expect([String(read.bytes), read.tooLarge]).toEqual(['all', true])
    expect(stream.readableEnded).toBe(true)
  })
})
