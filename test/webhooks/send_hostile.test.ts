import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { receivers } from './harness.ts'

const { start, send, dns } = receivers()

const timeoutMs = 300
const late = { kind: 'unreachable', errorKind: 'timeout', error: 'timeout after 0.3 s: response headers' }

/** Writes a chunk again and again, as fast as the peer reads, until the connection is gone. */
function flood(socket: Socket, chunk: string | Buffer): void {
  const pump = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', pump)
  pump()
}

/** Writes a text one byte at a time, without an end. */
function drip(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => {
    socket.write(text[at % text.length] ?? '')
    at += 1
  }, 2)
  socket.on('close', () => clearInterval(timer))
}

/** Waits until a connection is gone, by a reset or otherwise. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))
}

/** How a receiver that does this ends, with its connection gone: long before the time is over, unless that is short. */
async function outcomeOf(onRequest: (socket: Socket) => void, timeoutMs = 60_000) {
  const server = await start({ onRequest })
  const outcome = await send(`http://127.0.0.1:${server.port}/`, { timeoutMs })
  const [connection] = server.connections
  if (connection !== undefined) await closing(connection)
  return { outcome, written: connection?.bytesWritten ?? 0 }
}

describe('a receiver that is silent', () => {
  it.each([
    ['after the request', ''],
    ['amid the status line', 'HTTP/1.1 20'],
    ['amid the headers', 'HTTP/1.1 200 OK\r\nX-A: b\r\n'],
    ['after an interim response', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ])('%s runs into the timeout', async (_when, written) => {
    expect((await outcomeOf((socket) => socket.write(written), timeoutMs)).outcome).toEqual(late)
  })

  it('and does not even read the request runs into the timeout', async () => {
    const server = await start({ onConnection: (socket) => socket.pause() })
    const outcome = await send(`http://127.0.0.1:${server.port}/`, { timeoutMs, body: Buffer.alloc(20_000_000) })
    expect(outcome).toEqual(late)
  })

  it('in the headers byte by byte runs into the timeout', async () => {
    const { outcome } = await outcomeOf((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: '), timeoutMs)
    expect(outcome).toMatchObject({ kind: 'unreachable' })
    const headers = await outcomeOf((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(socket, 'X-Slow: 1\r\n')
    }, timeoutMs)
    expect(headers.outcome).toEqual(late)
  })

  it('shares its time with a slow resolution', async () => {
    const server = await start()
    dns().set('slow.partner-a.com', { a: ['127.0.0.1'], delayMs: 200 })
    // Long enough that the resolution ends in time on a busy machine, too.
    const error = 'timeout after 1.5 s: response headers'
    expect(await send(`http://slow.partner-a.com:${server.port}/`, { timeoutMs: 1_500 })).toEqual({ ...late, error })
    expect(server.connections).toHaveLength(1)
  })
})

describe('a receiver that never stops', () => {
  const limit = 20_000_000
  const cutOff = (error: string) => ({ kind: 'unreachable', errorKind: 'bad_response', error })
  const tooMuch = cutOff('too much before the response')
  const taken = (status: number) => ({ kind: 'answered', status, retryAfter: null })

  it.each([
    ['an endless status line', 'HTTP/1.1 200 ', 'a'.repeat(16_384), cutOff('response headers too large')],
    ['endless interim responses', '', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(400), tooMuch],
    ['endless 100s', '', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(400), tooMuch],
    ['endless empty lines', '', '\r\n'.repeat(8_000), tooMuch],
    ['one endless header', 'HTTP/1.1 204 OK\r\nX-A: ', 'a'.repeat(16_384), taken(204)],
    ['endless headers', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 OK\r\n', 'X-A: b\r\n'.repeat(2_000), taken(204)],
    [
      'an endless body',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      `4000\r\n${'b'.repeat(0x4000)}\r\n`,
      taken(200),
    ],
  ])('sending %s is cut off early, and a status that came counts', async (_what, start, chunk, expected) => {
    const { outcome, written } = await outcomeOf((socket) => {
      socket.write(start)
      flood(socket, chunk)
    })
    expect(outcome).toEqual(expected)
    expect(written).toBeLessThan(limit)
  })

  it('sending interim responses slowly runs into the timeout', async () => {
    const { outcome } = await outcomeOf((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 5)
      socket.on('close', () => clearInterval(timer))
    }, timeoutMs)
    expect(outcome).toEqual(late)
  })

  it('costs no memory that stays', async () => {
    const server = await start({ onRequest: (socket) => flood(socket, Buffer.alloc(65_536, 'X-A: b\r\n')) })
    const body = await start({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        flood(socket, Buffer.alloc(65_536))
      },
    })
    const attempts = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        await send(`http://127.0.0.1:${server.port}/`, { timeoutMs })
        await send(`http://127.0.0.1:${body.port}/`, { timeoutMs })
      }
      server.connections.splice(0)
      body.connections.splice(0)
      server.requests.splice(0)
      body.requests.splice(0)
    }
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc')
    const usedBytes = () => {
      collect()
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    await attempts(20)
    const before = usedBytes()
    await attempts(100)
    await expect.poll(() => usedBytes() - before).toBeLessThan(10_000_000)
  })
})

describe('a receiver that breaks off', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['by closing at once', (socket) => socket.end()],
    ['by a reset', (socket) => socket.resetAndDestroy()],
    ['amid the status line', (socket) => socket.end('HTTP/1.1 2')],
    ['by closing amid the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A: b\r\n')],
    ['after an interim response', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
    [
      'by a reset amid the headers',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nX-A:', () => socket.resetAndDestroy()),
    ],
  ])('%s is unreachable', async (_how, onRequest) => {
    const { outcome } = await outcomeOf(onRequest)
    expect(outcome).toEqual({
      kind: 'unreachable',
      errorKind: 'connection_error',
      error: 'connection closed by the receiver',
    })
  })

  it('before the request came is unreachable', async () => {
    const server = await start({ onConnection: (socket) => socket.destroy() })
    const outcome = await send(`http://127.0.0.1:${server.port}/`)
    expect(outcome).toEqual({
      kind: 'unreachable',
      errorKind: 'connection_error',
      error: 'connection closed by the receiver',
    })
  })

  it('amid the body was heard', async () => {
    const { outcome } = await outcomeOf((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx'))
    expect(outcome).toEqual({ kind: 'answered', status: 200, retryAfter: null })
  })
})

describe('a receiver whose headers are sloppy', () => {
  it.each([
    ['HTTP/1.1 200 OK\n\n', 200],
    ['HTTP/1.0 202\nX-A: b\n\n{}', 202],
    ['HTTP/1.1 100 Continue\n\nHTTP/1.1 201 Created\nX-A: b\n\n', 201],
    ['HTTP/1.1 500 Oops\n\n', 500],
    ['HTTP/1.1 200 OK\r\nno colon here\r\n\r\n', 200],
    ['HTTP/1.1 200 OK\r\nX-A: a\u0000b\r\n\r\n', 200],
    ['HTTP/1.1 200 OK\r\nContent-Length: nine\r\n\r\n', 200],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 200],
    [`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`, 200],
  ])('is taken by its status (case %#)', async (head, status) => {
    const { outcome } = await outcomeOf((socket) => socket.write(head))
    expect(outcome).toEqual({ kind: 'answered', status, retryAfter: null })
  })
})

describe('a receiver that does not speak HTTP', () => {
  it.each([
    'SSH-2.0-OpenSSH_9.6\r\n',
    '220 mail.partner-a.com ESMTP\r\n',
    '<html>hello</html>',
    '\u0015\u0003\u0003\u0000\u0002\u0002\u0046',
    '\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000',
    'HTTP/1.1 abc OK\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    'HTTP/1.1 100 Continue\nX-A\n\nhello\n',
  ])('but answers %j is unreachable', async (garbage) => {
    const { outcome } = await outcomeOf((socket) => socket.write(garbage))
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      errorKind: 'bad_response',
      error: expect.stringMatching(/^not an HTTP response: HPE_\w+$/),
    })
  })

  it.each([600, 700, 999, '099', '000'])('but answers with the status %s is unreachable', async (status) => {
    const { outcome } = await outcomeOf((socket) => socket.write(`HTTP/1.1 ${status} No\r\n\r\n`))
    expect(outcome).toMatchObject({ kind: 'unreachable', errorKind: 'bad_response' })
  })

  it('but switches to another protocol is unreachable', async () => {
    const { outcome } = await outcomeOf((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxyz'),
    )
    expect(outcome).toEqual({
      kind: 'unreachable',
      errorKind: 'bad_response',
      error: 'not an HTTP response: unexpected upgrade',
    })
  })
})
