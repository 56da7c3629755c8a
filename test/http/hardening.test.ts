import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { httpTests } from '../support/http_tests.ts'
import { products } from '../support/partner.ts'
import { exchangeRaw } from '../support/service.ts'

const { api, partner } = httpTests({ times: { headersMs: 400, requestMs: 800, keepAliveMs: 10_000 } })

/** A raw response: its status, its headers in lower case and its body. */
function parse(response: string) {
  const [head = '', body = ''] = response.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(/: (.*)/s)))
  return { status: Number(statusLine.split(' ')[1]), headers, body, json: body === '' ? undefined : JSON.parse(body) }
}

/** The beginning of an order with the partner's key. */
const orderHead = (more: string) =>
  `POST /b2b/orders HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${partner().key}\r\nContent-Type: application/json\r\n${more}`

const raw = async (bytes: string) => parse(await exchangeRaw(api().port, bytes))

async function open(): Promise<Socket> {
  const socket = connect(api().port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const expectEnvelope = ({ headers, json }: ReturnType<typeof parse>, code: string) => {
  expect(json).toMatchObject({ success: false, error: expect.any(String), code })
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-api-version': '1',
    'x-content-type-options': 'nosniff',
  })
  expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
}

describe('malformed HTTP gets the envelope of a business error', () => {
  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a bad header', 'GET /livez HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n'],
    ['two lengths', 'POST /b2b/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'a length and chunks',
      'POST /b2b/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /b2b/balance HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two hosts', 'GET /livez HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
    ['one host twice', 'GET /b2b/balance HTTP/1.0\r\nHost: x\r\nhost: x\r\n\r\n'],
    ['a target without a path', 'GET ?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['a target that is no URL', 'GET http://[x/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('%s: 400', async (_, bytes) => {
    const response = await raw(bytes)
    expect(response.status).toBe(400)
    expectEnvelope(response, 'VALIDATION_ERROR')
  })

  test('headers over 16 KiB: 431', async () => {
    const response = await raw(`GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`)
    expect(response.status).toBe(431)
    expectEnvelope(response, 'HEADERS_TOO_LARGE')
    expect(response.headers.connection).toBe('close')
  })

  test('a client that keeps sending can still read the answer', async () => {
    const socket = connect({ port: api().port, host: '127.0.0.1', allowHalfOpen: true })
    const errors: Error[] = []
    socket.on('error', (error) => errors.push(error))
    await once(socket, 'connect')
    for (let time = 0; time < 10; time += 1) {
      socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(errors).toEqual([])
    expect(parse(await text(socket)).status).toBe(431)
    socket.destroy()
  })

  test('headers just below 16 KiB are accepted', async () => {
    const request = `GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${'x'.repeat(16_000)}\r\n\r\n`
    expect((await raw(request)).status).toBe(200)
  })
})

describe('complete requests before malformed bytes get their own answers first', () => {
  const placing = (externalOrderId: string) => {
    const body = JSON.stringify({ externalOrderId, items: [{ productId: products.key }] })
    return orderHead(`Content-Length: ${body.length}\r\n\r\n${body}`)
  }

  test.each([
    ['a stray byte', '}\r\n\r\n', 400],
    ['headers over 16 KiB', `GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
    [
      'a request refused by its headers',
      'POST /b2b/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      401,
    ],
  ])('%s', async (name, malformed, status) => {
    const response = await exchangeRaw(api().port, placing(`${name} 1`) + placing(`${name} 2`) + malformed)
    expect(response.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201', `HTTP/1.1 ${status}`])
  })

  test('CONNECT is refused by 400', async () => {
    const response = await raw('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(response.status).toBe(400)
    expectEnvelope(response, 'VALIDATION_ERROR')
  })

  // Where the server does not handle the error, vitest reports an uncaught exception of this file.
  test('a client that resets its connection after CONNECT does not end the process', async () => {
    for (let sent = 0; sent < 20; sent += 1) {
      const socket = await open()
      socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\nmore')
      await once(socket, 'readable')
      socket.resetAndDestroy()
    }
    expect((await raw('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).status).toBe(200)
  })
})

test('a client that sends its headers too slowly gets 408', async () => {
  const socket = await open()
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n')
  const response = parse(await text(socket))
  expect(response.status).toBe(408)
  expectEnvelope(response, 'REQUEST_TIMEOUT')
})

describe('HTTP', () => {
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

  test('pipelined requests are answered in order', async () => {
    const response = await exchangeRaw(
      api().port,
      get('/livez') + get('/nothing') + get('/livez', 'Connection: close\r\n'),
    )
    expect(response.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
  })

  test('a connection serves the next request after a body that was too large', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`
    const requests = [
      orderHead(`Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`),
      orderHead(`Content-Length: 327680\r\n\r\n${' '.repeat(327_680)}`),
      get('/livez', 'Connection: close\r\n'),
    ]
    const response = await exchangeRaw(api().port, requests.join(''))
    expect(response.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  test.each<[string, () => string, number]>([
    ['HTTP/1.0 without a host', () => 'GET /livez HTTP/1.0\r\n\r\n', 200],
    ['an absolute target', () => get('http://api.example/livez', 'Connection: close\r\n'), 200],
    [
      'an upgrade, as a plain request',
      () => get('/livez', 'Connection: close, Upgrade\r\nUpgrade: websocket\r\n'),
      200,
    ],
    [
      'an expectation that is not 100-continue',
      () => orderHead('Expect: miracles\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'),
      400,
    ],
  ])('%s is served', async (_, bytes, status) => {
    expect((await raw(bytes())).status).toBe(status)
  })

  test('Keep-Alive announces the configured timeout', async () => {
    const response = await api().get('/livez')
    expect(response.headers['keep-alive']).toBe('timeout=10')
  })
})

describe('a client that hangs up causes no error record', () => {
  const errors = () => api().records.filter(({ level }) => level === 'error' || level === 'warn')
  const hungUp = () => api().records.filter(({ status }) => status === 499).length

  test.each([
    ['while it sends its body', 'Content-Length: 100\r\n\r\n{'],
    ['while it sends chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{'],
    ['before its answer', 'Content-Length: 2\r\n\r\n{}'],
  ])('%s', async (_, rest) => {
    const before = { errors: errors().length, hungUp: hungUp() }
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      for (const delay of [0, 5, 30]) {
        const socket = await open()
        socket.write(orderHead(rest))
        await new Promise((resolve) => setTimeout(resolve, delay))
        socket[end]()
      }
    }
    await expect.poll(async () => (await api().get('/livez')).status).toBe(200)
    if (rest.endsWith('{')) await expect.poll(hungUp).toBeGreaterThanOrEqual(before.hungUp + 4)
    expect(errors().length).toBe(before.errors)
  })
})
