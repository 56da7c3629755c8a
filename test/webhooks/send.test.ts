import { once } from 'node:events'
import { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { parseNetworks } from '../../src/network/networks.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { loopback, receivers } from './harness.ts'

const { start, send, dns } = receivers()

const answer = (status: number | string, headers = '') =>
  `HTTP/1.1 ${status} Whatever\r\n${headers}Content-Length: 0\r\n\r\n`

describe('a delivery', () => {
  it('is one POST of the body, with the headers given, Host and the length', async () => {
    const server = await start({ onRequest: answer(200) })
    const body = Buffer.from('{"reason":"Товар закончился"}')
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'X-Webhook-Event': 'order.failed' }
    const url = `http://127.0.0.1:${server.port}/a%20b/%2Fc?x=1&y=/../#fragment`
    expect(await send(url, { headers, body })).toEqual({ kind: 'answered', status: 200, retryAfter: null })
    expect(server.requests).toHaveLength(1)
    const [request] = server.requests
    expect(request?.requestLine).toBe('POST /a%20b/%2Fc?x=1&y=/../ HTTP/1.1')
    expect(request?.body.equals(body)).toBe(true)
    expect(request?.headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      'content-type': 'application/json; charset=utf-8',
      'x-webhook-event': 'order.failed',
      'content-length': String(body.length),
      connection: 'close',
    })
  })

  it.each([200, 201, 204, 299, 300, 301, 302, 303, 304, 307, 308, 399, 400, 401, 404, 410, 499, 500, 503, 599])(
    'answered with %i gives that status',
    async (status) => {
      const server = await start({ onRequest: answer(status) })
      const outcome = await send(`http://127.0.0.1:${server.port}/`)
      expect(outcome).toEqual({ kind: 'answered', status, retryAfter: null })
    },
  )

  it('answered with a redirect is not sent on', async () => {
    const target = await start({ onRequest: answer(200) })
    const location = `Location: http://127.0.0.1:${target.port}/\r\n`
    const server = await start({ onRequest: answer(307, location) })
    expect(await send(`http://127.0.0.1:${server.port}/`)).toMatchObject({ status: 307 })
    expect(server.requests).toHaveLength(1)
    expect(target.connections).toHaveLength(0)
  })

  it.each([
    [429, 'Retry-After: 120\r\n', 120],
    [408, 'retry-after:   7  \r\n', 7],
    [429, 'Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n', 5],
    [429, 'Retry-After: 60\r\nRetry-After: 90\r\n', null],
    [429, '', null],
    [503, 'Retry-After: 120\r\n', null],
    [200, 'Retry-After: 120\r\n', null],
    [404, 'Retry-After: 120\r\n', null],
  ])('answered with %i and %j waits %s s', async (status, headers, retryAfter) => {
    const server = await start({ onRequest: answer(status, headers) })
    const outcome = await send(`http://127.0.0.1:${server.port}/`)
    expect(outcome).toEqual({ kind: 'answered', status, retryAfter })
  })

  it.each([
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n',
  ])('passes over the interim responses %j', async (interim) => {
    const server = await start({ onRequest: interim + answer(204) })
    expect(await send(`http://127.0.0.1:${server.port}/`)).toMatchObject({ status: 204 })
  })

  it('asks for no interim response', async () => {
    const server = await start({ onRequest: answer(200) })
    await send(`http://127.0.0.1:${server.port}/`, { body: Buffer.alloc(500_000, 'x') })
    expect(server.requests[0]?.headers).not.toHaveProperty('expect')
    expect(server.requests[0]?.body).toHaveLength(500_000)
  })

  it('uses a connection of its own and closes it', async () => {
    const server = await start({ onRequest: answer(200) })
    await send(`http://127.0.0.1:${server.port}/`)
    await send(`http://127.0.0.1:${server.port}/`)
    expect(server.connections).toHaveLength(2)
    for (const socket of server.connections) if (!socket.closed) await once(socket, 'close')
  })

  it('ends with an answer that comes before its body is read', async () => {
    const server = await start({ onConnection: (socket) => socket.write(answer(413)) })
    const outcome = await send(`http://127.0.0.1:${server.port}/`, { body: Buffer.alloc(5_000_000) })
    expect(outcome).toMatchObject({ kind: 'answered', status: 413 })
  })
})

describe('the connection', () => {
  it('goes to the address that was checked, with the Host of the URL, after one resolution', async () => {
    const server = await start({ onRequest: answer(200) })
    dns().set('pinned.partner-a.com', { a: ['127.0.0.1'] })
    const url = `http://Pinned.Partner-A.com:${server.port}/`
    expect(await send(url)).toMatchObject({ status: 200 })
    expect(server.requests[0]?.headers.host).toBe(`pinned.partner-a.com:${server.port}`)
    const asked = dns().queries.filter(({ name }) => name.toLowerCase() === 'pinned.partner-a.com')
    expect(asked.map(({ type }) => type).sort()).toEqual(['A', 'AAAA'])
  })

  it('is not moved by a name that changes its address after the check', async () => {
    const server = await start({ onRequest: answer(200) })
    const rebinding = {
      answers: [['127.0.0.1'], ['10.0.0.1']],
      async resolve() {
        const [address = '10.0.0.1'] = this.answers.shift() ?? []
        return { kind: 'ok' as const, addresses: [{ address, family: 4 as const }] }
      },
    }
    const connect = vi.spyOn(Socket.prototype, 'connect')
    const outcome = await send(`http://rebind.partner-a.com:${server.port}/`, { resolver: rebinding })
    expect(outcome).toMatchObject({ status: 200 })
    expect(rebinding.answers).toEqual([['10.0.0.1']])
    expect(connect).toHaveBeenCalledTimes(1)
    connect.mockRestore()
  })

  it('keeps a trailing dot in Host', async () => {
    const server = await start({ onRequest: answer(200) })
    dns().set('dot.partner-a.com', { a: ['127.0.0.1'] })
    await send(`http://dot.partner-a.com.:${server.port}/`)
    expect(server.requests[0]?.headers.host).toBe(`dot.partner-a.com.:${server.port}`)
  })

  it('goes to the next address when the first refuses it, and the request is sent once', async () => {
    const server = await start({ onRequest: answer(200), host: '127.0.0.3' })
    dns().set('second.partner-a.com', { a: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] })
    expect(await send(`http://second.partner-a.com:${server.port}/`)).toMatchObject({ status: 200 })
    expect(server.requests).toHaveLength(1)
  })

  it('that broke after the request is not tried at the next address', async () => {
    const broken = await start({ onRequest: (socket) => socket.destroy(), host: '127.0.0.2' })
    const next = await start({ onRequest: answer(200), host: '127.0.0.3', port: broken.port })
    dns().set('broken.partner-a.com', { a: ['127.0.0.2', '127.0.0.3'] })
    const outcome = await send(`http://broken.partner-a.com:${broken.port}/`)
    expect(outcome).toEqual({
      kind: 'unreachable',
      errorKind: 'connection_error',
      error: 'connection closed by the receiver',
    })
    expect(next.connections).toHaveLength(0)
  })

  it('that is refused is unreachable', async () => {
    const gone = await start()
    await gone.close()
    const outcome = await send(`http://127.0.0.1:${gone.port}/`)
    expect(outcome).toEqual({ kind: 'unreachable', errorKind: 'connection_error', error: 'connection refused' })
  })

  it('that reaches another address than the checked one is refused, with nothing sent', async () => {
    const server = await start({ onRequest: answer(200) })
    const allowNetworks = parseNetworks('0.0.0.0/8')
    const outcome = await send(`http://0.0.0.0:${server.port}/`, { allowNetworks })
    expect(outcome).toEqual({
      kind: 'refused',
      reason: 'blocked_address',
      error: 'connected to 127.0.0.1, not to 0.0.0.0',
    })
    expect(server.requests).toHaveLength(0)
  })
})

describe('a refused delivery', () => {
  it.each([
    ['http://127.0.0.1:9/', 'blocked_address'],
    ['http://[::1]:9/', 'blocked_address'],
    ['http://localhost:9/', 'invalid_url'],
    ['http://user:secret@hooks.partner-a.com/', 'invalid_url'],
    ['gopher://127.0.0.1/', 'invalid_url'],
    ['', 'invalid_url'],
  ])('to %j opens no socket and resolves no name', async (url, reason) => {
    const connect = vi.spyOn(Socket.prototype, 'connect')
    const asked = dns().queries.length
    const outcome = await send(url, { allowNetworks: [] })
    expect(outcome).toMatchObject({ kind: 'refused', reason })
    expect(JSON.stringify(outcome)).not.toContain('secret')
    expect(connect).not.toHaveBeenCalled()
    expect(dns().queries).toHaveLength(asked)
    connect.mockRestore()
  })

  it('is one whose name resolves to an allowed and a blocked address', async () => {
    const server = await start({ onRequest: answer(200) })
    dns().set('mixed.partner-a.com', { a: ['127.0.0.1', '10.0.0.1'] })
    expect(await send(`http://mixed.partner-a.com:${server.port}/`)).toEqual({
      kind: 'refused',
      reason: 'blocked_address',
      error: 'the name resolves to the blocked address 10.0.0.1',
    })
    expect(server.connections).toHaveLength(0)
  })
})

describe('a name without addresses', () => {
  it('is unresolved', async () => {
    expect(await send('http://nowhere.partner-a.com/')).toEqual({
      kind: 'unresolved',
      errorKind: 'name_not_resolved',
      error: 'name does not resolve: ENOTFOUND',
    })
  })

  it('whose look-up is never answered is unresolved in time', async () => {
    dns().set('silent.partner-a.com', { a: 'silent', aaaa: 'silent' })
    expect(await send('http://silent.partner-a.com/', { timeoutMs: 200 })).toEqual({
      kind: 'unresolved',
      errorKind: 'timeout',
      error: 'timeout after 0.2 s: name resolution',
    })
  })
})

it('an event is not sent after the lease of its attempt may have ended', async () => {
  const server = await start({ onRequest: answer(200) })
  const url = `http://127.0.0.1:${server.port}/`
  expect(await send(url, { maySend: () => false })).toMatchObject({ kind: 'late' })
  expect(await send(url, { maySend: () => true })).toMatchObject({ kind: 'answered', status: 200 })
  expect(server.requests).toHaveLength(1)
})

describe('a sender that is closed', () => {
  it('finishes deliveries under way and accepts no more', async () => {
    const server = await start()
    const resolver = { resolve: () => Promise.reject(new Error('no name is resolved here')) }
    const sender = createSender({ resolver, allowNetworks: loopback, timeoutMs: 5000 })
    const delivery = {
      ...{ url: `http://127.0.0.1:${server.port}/`, headers: {}, body: Buffer.from('{}') },
      maySend: () => true,
    }
    const outcome = sender.send(delivery)
    await vi.waitUntil(() => server.requests.length === 1, { timeout: 45_000 })
    let closed = false
    const closing = sender.close().then(() => {
      closed = true
    })
    await expect(sender.send(delivery)).rejects.toThrow('the sender is closed')
    expect(closed).toBe(false)
    server.connections[0]?.write(answer(200))
    expect(await outcome).toMatchObject({ status: 200 })
    await closing
    expect(server.requests).toHaveLength(1)
  })
})
