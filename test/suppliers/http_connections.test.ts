import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SupplierOutcome } from '../../src/suppliers/outcome.ts'
import { httpAdapters, methods, portOf } from './harness.ts'

const { hasty, order, ask } = httpAdapters()

describe('a call is sent once', () => {
  let server: Server | undefined
  const sockets = new Set<Socket>()

  afterEach(() => {
    for (const socket of sockets) socket.destroy()
    server?.close()
  })

  /** A server of bare sockets: it tells each request to `onRequest`, with its number on its connection and in all. */
  const listen = async (onRequest: (socket: Socket, onConnection: number, inAll: number) => void) => {
    const references: string[] = []
    server = createServer((socket) => {
      let onConnection = 0
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        for (const [, reference = ''] of chunk.toString('latin1').matchAll(/\/orders\/(\S+) HTTP/g)) {
          references.push(reference)
          onRequest(socket, ++onConnection, references.length)
        }
      })
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    return { url: `http://127.0.0.1:${portOf(server)}`, references }
  }

  const good = 'HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\n{"status":"completed"}'

  it.each(methods)('also where a kept connection ends under a %s', async (method) => {
    const { url, references } = await listen((socket, onConnection) => {
      if (onConnection === 1) socket.write(good)
      else socket.resetAndDestroy()
    })
    // A connection is free again a moment after its answer, so it takes a few calls until one is used twice.
    const sent: string[] = []
    for (let outcome = 'answered'; outcome === 'answered' && sent.length < 100; ) {
      const call = order({ baseUrl: url })
      sent.push(call.reference)
      outcome = (await ask(method, call)).outcome
    }
    expect(sent.length).toBeLessThan(100)
    // A repetition of the lost call would come before this one.
    const last = order({ baseUrl: url })
    await ask(method, last)
    expect(references).toEqual([...sent, last.reference])
  })

  it('also where it timed out, and later calls are answered', async () => {
    const { url, references } = await listen((socket, _, inAll) => {
      if (inAll > 1) socket.write(good)
    })
    expect(await ask('PUT', order({ baseUrl: url }), { using: hasty() })).toMatchObject({ error: 'timeout' })
    expect(await ask('GET', order({ baseUrl: url }), { using: hasty() })).toMatchObject({ status: 'completed' })
    expect(references).toHaveLength(2)
  })

  it('and an answer that nobody asked for does not become that of the next call', async () => {
    const stale = 'HTTP/1.1 200 OK\r\ncontent-length: 19\r\n\r\n{"status":"failed"}'
    const { url } = await listen((socket, onConnection) => {
      socket.write(onConnection === 1 ? good + stale : good)
    })
    expect(await ask('PUT', order({ baseUrl: url }))).toMatchObject({ status: 'completed' })
    const outcomes: SupplierOutcome[] = []
    for (let n = 0; n < 3; n++) outcomes.push(await ask('GET', order({ baseUrl: url })))
    expect(outcomes).not.toContainEqual(expect.objectContaining({ status: 'failed' }))
  })
})

describe('a connection that does not come about', () => {
  const mute = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => mute.emit('greeted'))
  })

  beforeAll(() => new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve)))
  afterAll(() => void mute.close())

  const unconnected = () => order({ baseUrl: `https://127.0.0.1:${portOf(mute)}` })

  it('gives an unknown outcome in time', async () => {
    expect(await ask('PUT', unconnected(), { using: hasty() })).toMatchObject({ error: 'timeout' })
  })

  it('gives an unknown outcome as soon as the caller ends the call', async () => {
    const controller = new AbortController()
    mute.once('greeted', () => controller.abort())
    const outcome = await ask('PUT', unconnected(), { signal: controller.signal })
    expect(outcome).toMatchObject({ outcome: 'unknown', error: 'cancelled' })
  })
})
