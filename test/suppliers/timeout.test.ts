import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAdapters } from '../../src/suppliers/adapters.ts'
import { type RawServer, startRawServer } from '../support/servers/raw_server.ts'
import { supplierCall } from '../support/supplier_call.ts'

let supplier: RawServer
let asked: PromiseWithResolvers<void>

beforeEach(async () => {
  asked = Promise.withResolvers()
  supplier = await startRawServer({ onRequest: () => asked.resolve() })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await supplier.close()
})

test.each(['put', 'get'] as const)('a supplier has 30 seconds to answer a %s, and no more', async (method) => {
  const adapters = createAdapters()
  const ended = vi.fn()
  const outcome = adapters
    .adapterFor('http')
    ?.[method](supplierCall({ baseUrl: `http://127.0.0.1:${supplier.port}`, token: 'token' }))
    .finally(ended)
  await asked.promise

  await vi.advanceTimersByTimeAsync(29_999)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await outcome).toMatchObject({ outcome: 'unknown', error: 'timeout' })
  await adapters.close()
})
