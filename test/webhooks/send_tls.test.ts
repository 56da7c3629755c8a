import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { RawServerOptions } from '../support/servers/raw_server.ts'
import { receivers } from './harness.ts'

const { start, send, dns } = receivers()

const pem = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
// Valid until 2120 for hooks.partner-a.test and 127.0.0.1, self-signed, so that it is its own authority.
const tls = { key: pem('receiver.key'), cert: pem('receiver.crt') }
const tlsCa = tls.cert
const onRequest = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

function named(name: string): string {
  dns().set(name, { a: ['127.0.0.1'] })
  return name
}

describe('a delivery over TLS', () => {
  it('names the host of the URL in SNI and Host, though it connects to an address', async () => {
    const server = await start({ onRequest, tls })
    const url = `https://${named('hooks.partner-a.test')}:${server.port}/x`
    expect(await send(url, { tlsCa })).toEqual({ kind: 'answered', status: 200, retryAfter: null })
    expect(server.serverNames).toEqual(['hooks.partner-a.test'])
    expect(server.requests[0]?.headers.host).toBe(`hooks.partner-a.test:${server.port}`)
  })

  it('leaves the trailing dot out of SNI and of the check of the certificate, and in Host', async () => {
    const server = await start({ onRequest, tls })
    named('hooks.partner-a.test')
    expect(await send(`https://hooks.partner-a.test.:${server.port}/`, { tlsCa })).toMatchObject({ status: 200 })
    expect(server.serverNames).toEqual(['hooks.partner-a.test'])
    expect(server.requests[0]?.headers.host).toBe(`hooks.partner-a.test.:${server.port}`)
  })

  it('to an address needs a certificate for that address and sends no SNI', async () => {
    const server = await start({ onRequest, tls })
    expect(await send(`https://127.0.0.1:${server.port}/`, { tlsCa })).toMatchObject({ status: 200 })
    expect(server.serverNames).toEqual([false])
    const other = await start({ onRequest, tls, host: '127.0.0.2' })
    expect(await send(`https://127.0.0.2:${other.port}/`, { tlsCa })).toEqual({
      kind: 'unreachable',
      errorKind: 'tls_error',
      error: 'TLS: ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  it('offers HTTP/1.1 and nothing else', async () => {
    const offers: string[][] = []
    const ALPNCallback = ({ protocols }: { protocols: string[] }) => {
      offers.push(protocols)
      return protocols.includes('h2') ? 'h2' : 'http/1.1'
    }
    const server = await start({ onRequest, tls: { ...tls, ALPNCallback } })
    const url = `https://${named('hooks.partner-a.test')}:${server.port}/`
    expect(await send(url, { tlsCa })).toMatchObject({ status: 200 })
    expect(offers).toEqual([['http/1.1']])
    expect(server.requests[0]?.requestLine).toBe('POST / HTTP/1.1')
  })
})

describe('a certificate', () => {
  const expired = pem('expired.crt')

  it.each([
    ['of an unknown authority', 'hooks.partner-a.test', tls.cert, undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['for another name', 'other.partner-a.test', tls.cert, tlsCa, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has expired', 'hooks.partner-a.test', expired, expired, 'CERT_HAS_EXPIRED'],
  ])('%s is refused, and nothing is sent', async (_what, name, cert, ca, error) => {
    const server = await start({ onRequest, tls: { ...tls, cert } })
    const outcome = await send(`https://${named(name)}:${server.port}/`, ca === undefined ? {} : { tlsCa: ca })
    expect(outcome).toEqual({ kind: 'unreachable', errorKind: 'tls_error', error: `TLS: ${error}` })
    expect(server.requests).toHaveLength(0)
  })

  it('of an unknown authority is refused even where the environment would let it pass', async () => {
    const server = await start({ onRequest, tls })
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const outcome = await send(`https://${named('hooks.partner-a.test')}:${server.port}/`).finally(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    })
    expect(outcome).toEqual({ kind: 'unreachable', errorKind: 'tls_error', error: 'TLS: DEPTH_ZERO_SELF_SIGNED_CERT' })
  })
})

describe('a TLS handshake', () => {
  const plain = (socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
  const breaksOff = (socket: Socket) => socket.once('data', () => socket.destroy())
  const old = { ...tls, minVersion: 'TLSv1' as const, maxVersion: 'TLSv1.1' as const, ciphers: 'ALL:@SECLEVEL=0' }

  it.each<[string, RawServerOptions, RegExp]>([
    ['with a receiver that speaks no TLS', { onConnection: plain }, /^TLS: ERR_SSL_WRONG_VERSION_NUMBER$/],
    ['with a receiver of TLS 1.1 only', { onRequest, tls: old }, /^TLS: ERR_SSL_\w+$/],
    ['that the receiver breaks off', { onConnection: breaksOff }, /^TLS: connection closed by the receiver$/],
  ])('%s fails', async (_what, options, error) => {
    const server = await start(options)
    const outcome = await send(`https://127.0.0.1:${server.port}/`, { tlsCa })
    expect(outcome).toEqual({ kind: 'unreachable', errorKind: 'tls_error', error: expect.stringMatching(error) })
  })

  it('that hangs runs into the timeout', async () => {
    const server = await start()
    const outcome = await send(`https://127.0.0.1:${server.port}/`, { tlsCa, timeoutMs: 300 })
    expect(outcome).toEqual({ kind: 'unreachable', errorKind: 'timeout', error: 'timeout after 0.3 s: TLS handshake' })
  })
})
