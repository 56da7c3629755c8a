import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createResolver } from '../../src/webhooks/resolve.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { loopback, receivers } from './harness.ts'

const { start, dns } = receivers()

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

test('a receiver has 10 seconds to answer, and no more', async () => {
  const asked = Promise.withResolvers<void>()
  const server = await start({ onRequest: () => asked.resolve() })
  const resolver = createResolver({ servers: [dns().address], allowNetworks: loopback })
  const sender = createSender({ resolver, allowNetworks: loopback })
  const ended = vi.fn()
  const url = `http://127.0.0.1:${server.port}/`
  const outcome = sender.send({ url, headers: {}, body: Buffer.from('{}'), maySend: () => true }).finally(ended)
  await asked.promise

  await vi.advanceTimersByTimeAsync(9_999)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await outcome).toEqual({
    kind: 'unreachable',
    errorKind: 'timeout',
    error: 'timeout after 10 s: response headers',
  })
  await sender.close()
})
