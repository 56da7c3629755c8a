import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { SupplierOutcome } from '../../src/suppliers/outcome.ts'
import { type RawServer, type RawServerOptions, startRawServer } from '../support/servers/raw_server.ts'
import { httpAdapters, methods } from './harness.ts'

const { hasty, order, ask } = httpAdapters()

let server: RawServer
afterEach(() => server.close())

/** Starts a server of bare sockets, and gives what makes orders for it. */
async function startServer(options: RawServerOptions, scheme = 'http') {
  server = await startRawServer(options)
  return () => order({ baseUrl: `${scheme}://127.0.0.1:${server.port}` })
}

describe('a call is sent once', () => {
  const good = 'HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\n{"status":"completed"}'
  const references = () => server.requests.map(({ requestLine }) => /\/orders\/(\S+) HTTP/.exec(requestLine)?.[1])

  /** Tells the first request of a connection from the later ones. */
  function isFirst(): (socket: Socket) => boolean {
    const used = new Set<Socket>()
    return (socket) => {
      const isNew = !used.has(socket)
      used.add(socket)
      return isNew
    }
  }

  it.each(methods)('also where a kept connection ends under a %s', async (method) => {
    const first = isFirst()
    const newOrder = await startServer({
      onRequest: (socket) => (first(socket) ? socket.write(good) : socket.resetAndDestroy()),
    })
    // A connection is free again a moment after its answer, so it takes a few calls until one is used twice.
    const sent: string[] = []
    for (let outcome = 'answered'; outcome === 'answered' && sent.length < 100; ) {
      const call = newOrder()
      sent.push(call.reference)
      outcome = (await ask(method, call)).outcome
    }
    expect(sent.length).toBeLessThan(100)
    // A repetition of the lost call would come before this one.
    const last = newOrder()
    await ask(method, last)
    expect(references()).toEqual([...sent, last.reference])
  })

  it('also where it timed out, and later calls are answered', async () => {
    const newOrder = await startServer({
      onRequest: (socket) => {
        if (server.requests.length > 1) socket.write(good)
      },
    })
    expect(await ask('PUT', newOrder(), { using: hasty() })).toMatchObject({ error: 'timeout' })
    expect(await ask('GET', newOrder(), { using: hasty() })).toMatchObject({ status: 'completed' })
    expect(server.requests).toHaveLength(2)
  })

  it('and an unrequested answer does not become that of the next call', async () => {
    const stale = 'HTTP/1.1 200 OK\r\ncontent-length: 19\r\n\r\n{"status":"failed"}'
    const first = isFirst()
    const newOrder = await startServer({ onRequest: (socket) => socket.write(first(socket) ? good + stale : good) })
    expect(await ask('PUT', newOrder())).toMatchObject({ status: 'completed' })
    const outcomes: SupplierOutcome[] = []
    for (let n = 0; n < 3; n++) outcomes.push(await ask('GET', newOrder()))
    expect(outcomes).not.toContainEqual(expect.objectContaining({ status: 'failed' }))
  })
})

describe('a connection that does not come about', () => {
  it('gives an unknown outcome in time', async () => {
    const newOrder = await startServer({}, 'https')
    expect(await ask('PUT', newOrder(), { using: hasty() })).toMatchObject({ error: 'timeout' })
  })

  it('gives an unknown outcome as soon as the caller ends the call', async () => {
    const controller = new AbortController()
    const onConnection = (socket: Socket) => socket.once('data', () => controller.abort())
    const newOrder = await startServer({ onConnection }, 'https')
    const outcome = await ask('PUT', newOrder(), { signal: controller.signal })
    expect(outcome).toMatchObject({ outcome: 'unknown', error: 'cancelled' })
  })
})
