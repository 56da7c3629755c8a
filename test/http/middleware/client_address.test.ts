import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { clientAddress, clientNetwork, createEntryLog } from '../../../src/http/middleware/client_address.ts'

/** A request as far as its client's address goes. */
function from(remoteAddress: string | undefined, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage
}

describe('the client’s address', () => {
  test('is the socket’s, whatever X-Forwarded-For says, where no proxy is trusted', () => {
    expect(clientAddress(from('192.0.2.1', '203.0.113.9'), 0)).toBe('192.0.2.1')
  })

  test.each([
    [1, '203.0.113.9', '203.0.113.9'],
    [1, '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    [2, '198.51.100.1, 203.0.113.9', '198.51.100.1'],
    [2, 'forged, 198.51.100.1,203.0.113.9', '198.51.100.1'],
    [3, '198.51.100.1, 203.0.113.9', '192.0.2.1'],
    [1, 'unknown', '192.0.2.1'],
    [1, '203.0.113.9:4711', '203.0.113.9'],
    [2, '198.51.100.1:80, 203.0.113.9:4711', '198.51.100.1'],
    [1, '203.0.113.9:', '192.0.2.1'],
    [1, '203.0.113.9:123456', '192.0.2.1'],
    [1, '[2001:db8::7]:4711', '2001:db8::7'],
    [1, '[203.0.113.9:4711', '192.0.2.1'],
    [1, '203.0.113.9, ', '192.0.2.1'],
    [1, '', '192.0.2.1'],
    [1, undefined, '192.0.2.1'],
    [1, '2001:db8::7', '2001:db8::7'],
    [1, '::10.1.2.3', '::a01:203'],
    [1, '[2001:db8::7]', '2001:db8::7'],
    [1, 'fe80::1%eth0', '192.0.2.1'],
    [1, '0300.0.0.1', '192.0.2.1'],
  ])('with %i trusted proxies and X-Forwarded-For "%s" is %s', (hops, forwarded, expected) => {
    expect(clientAddress(from('192.0.2.1', forwarded), hops)).toBe(expected)
  })

  test.each([
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['::192.0.2.7', '::c000:207'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
  ])('%s is the same client as %s', (address, expected) => {
    expect(clientAddress(from(address), 0)).toBe(expected)
  })

  test('is unknown once the client has gone', () => {
    expect(clientAddress(from(undefined), 0)).toBeUndefined()
  })
})

describe('an entry that is no address', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is logged at once, and then by count once a minute', () => {
    const logged: unknown[] = []
    const onNoAddress = createEntryLog({ warn: (fields: unknown) => void logged.push(fields) } as never)
    for (let n = 0; n < 100; n += 1) clientAddress(from('192.0.2.1', 'unknown'), 1, onNoAddress)
    expect(logged).toEqual([{ requests: 1 }])
    vi.advanceTimersByTime(60_000)
    expect(logged).toEqual([{ requests: 1 }, { requests: 99 }])
    vi.advanceTimersByTime(600_000)
    expect(logged).toHaveLength(2)
    clientAddress(from('192.0.2.1', 'unknown'), 1, onNoAddress)
    expect(logged.at(-1)).toEqual({ requests: 1 })
  })

  test('is none of a good entry, of too few entries, or of no header', () => {
    const onNoAddress = vi.fn()
    for (const forwarded of ['203.0.113.9', '203.0.113.9:4711', undefined])
      clientAddress(from('192.0.2.1', forwarded), 1, onNoAddress)
    clientAddress(from('192.0.2.1', '203.0.113.9'), 2, onNoAddress)
    clientAddress(from('192.0.2.1', 'unknown'), 0, onNoAddress)
    expect(onNoAddress).not.toHaveBeenCalled()
  })
})

describe('what a client is counted by', () => {
  test('is its IPv4 address', () => {
    expect(clientNetwork('192.0.2.1')).not.toBe(clientNetwork('192.0.2.2'))
  })

  test('is the /64 of its IPv6 address', () => {
    expect(clientNetwork('2001:db8:0:1::1')).toBe(clientNetwork('2001:db8:0:1:ffff::2'))
    expect(clientNetwork('::10.1.2.3')).toBe(clientNetwork('::1'))
    expect(clientNetwork('2001:db8:0:1::1')).not.toBe(clientNetwork('2001:db8:0:2::1'))
  })
})
