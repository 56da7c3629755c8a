import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { clientAddress, clientNetwork } from '../../../src/http/middleware/client_address.ts'

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
    [1, '203.0.113.9:4711', '192.0.2.1'],
    [1, '203.0.113.9, ', '192.0.2.1'],
    [1, '', '192.0.2.1'],
    [1, undefined, '192.0.2.1'],
    [1, '2001:db8::7', '2001:db8::7'],
    [1, '::10.1.2.3', '::a01:203'],
    [1, '[2001:db8::7]', '192.0.2.1'],
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
