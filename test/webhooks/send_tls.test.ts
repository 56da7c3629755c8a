import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
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
  it('of an unknown authority is refused, and nothing is sent', async () => {
    const server = await start({ onRequest, tls })
    const url = `https://${named('hooks.partner-a.test')}:${server.port}/`
    expect(await send(url)).toEqual({ kind: 'unreachable', error: 'TLS: DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(server.requests).toHaveLength(0)
  })

  it('of an unknown authority is refused even where the environment would let it pass', async () => {
    const server = await start({ onRequest, tls })
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const outcome = await send(`https://${named('hooks.partner-a.test')}:${server.port}/`).finally(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    })
    expect(outcome).toEqual({ kind: 'unreachable', error: 'TLS: DEPTH_ZERO_SELF_SIGNED_CERT' })
  })

  it('for another name is refused', async () => {
    const server = await start({ onRequest, tls })
    const url = `https://${named('other.partner-a.test')}:${server.port}/`
    expect(await send(url, { tlsCa })).toEqual({ kind: 'unreachable', error: 'TLS: ERR_TLS_CERT_ALTNAME_INVALID' })
    expect(server.requests).toHaveLength(0)
  })

  it('that has expired is refused', async () => {
    const expired = pem('expired.crt')
    const server = await start({ onRequest, tls: { ...tls, cert: expired } })
    const url = `https://${named('hooks.partner-a.test')}:${server.port}/`
    expect(await send(url, { tlsCa: expired })).toEqual({ kind: 'unreachable', error: 'TLS: CERT_HAS_EXPIRED' })
  })
})

describe('a TLS handshake', () => {
  it('with a receiver that speaks no TLS fails', async () => {
    const server = await start({ onConnection: (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') })
    const outcome = await send(`https://127.0.0.1:${server.port}/`, { tlsCa })
    expect(outcome).toEqual({ kind: 'unreachable', error: 'TLS: ERR_SSL_WRONG_VERSION_NUMBER' })
  })

  it('with a receiver of TLS 1.1 only fails', async () => {
    const old = { ...tls, minVersion: 'TLSv1' as const, maxVersion: 'TLSv1.1' as const, ciphers: 'ALL:@SECLEVEL=0' }
    const server = await start({ onRequest, tls: old })
    const outcome = await send(`https://${named('hooks.partner-a.test')}:${server.port}/`, { tlsCa })
    expect(outcome).toMatchObject({ kind: 'unreachable', error: expect.stringMatching(/^TLS: ERR_SSL_\w+$/) })
  })

  it('that the receiver breaks off fails', async () => {
    const server = await start({ onConnection: (socket) => socket.once('data', () => socket.destroy()) })
    const outcome = await send(`https://127.0.0.1:${server.port}/`, { tlsCa })
    expect(outcome).toEqual({ kind: 'unreachable', error: 'TLS: connection closed by the receiver' })
  })

  it('that hangs runs into the timeout', async () => {
    const server = await start()
    const outcome = await send(`https://127.0.0.1:${server.port}/`, { tlsCa, timeoutMs: 300 })
    expect(outcome).toEqual({ kind: 'unreachable', error: 'timeout after 0.3 s: TLS handshake' })
  })
})
