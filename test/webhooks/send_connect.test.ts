import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { receivers } from './harness.ts'

const { start, send, dns } = receivers()

// A server on 127.0.0.2 whose thread is stopped, so that it never accepts: once its queue is full, the kernel
// drops whoever connects, as a firewall does.
const stopped = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.2', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })
`
let thread: Worker
let port = 0

beforeAll(async () => {
  thread = new Worker(stopped, { eval: true })
  port = (await once(thread, 'message'))[0]
  const sockets = Array.from({ length: 32 }, () => connect(port, '127.0.0.2').on('error', () => {}))
  // All have asked by now. Those that found a place in the queue keep it after their end.
  await Promise.race(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.destroy()
})
afterAll(() => thread.terminate())

const connecting = () => process.getActiveResourcesInfo().filter((name) => name.endsWith('ConnectWrap'))

it('a connection that is never accepted ends with the timeout', async () => {
  await expect.poll(connecting).toEqual([])
  expect(await send(`http://127.0.0.2:${port}/`, { timeoutMs: 300 })).toEqual({
    kind: 'unreachable',
    errorKind: 'timeout',
    error: 'timeout after 0.3 s: connect',
  })
  await expect.poll(connecting).toEqual([])
})

it('an address that does not answer leaves the next one its share of the time', async () => {
  const server = await start({ onRequest: 'HTTP/1.1 200 OK\r\n\r\n', host: '127.0.0.3', port })
  dns().set('half.partner-a.com', { a: ['127.0.0.2', '127.0.0.3'] })
  expect(await send(`http://half.partner-a.com:${port}/`, { timeoutMs: 1000 })).toMatchObject({ status: 200 })
  expect(server.requests).toHaveLength(1)
})
