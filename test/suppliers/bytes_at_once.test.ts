import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SupplierOutcome } from '../../src/suppliers/outcome.ts'
import { type RawServer, startRawServer } from '../support/servers/raw_server.ts'
import { httpAdapters } from './harness.ts'

const { ask, order } = httpAdapters()
let server: RawServer

beforeAll(async () => {
  // Nearly all of the 1 MiB that an answer may have, and then nothing.
  server = await startRawServer({ onRequest: `HTTP/1.1 200 OK\r\n\r\n${' '.repeat(1_000_000)}` })
})
afterAll(() => server.close())

it('unfinished answers of one supplier take 4 MiB at most, and free them when they end', async () => {
  const baseUrl = `http://127.0.0.1:${server.port}`
  const settled: SupplierOutcome[] = []
  const calls = Array.from({ length: 12 }, async () => {
    const outcome = await ask('GET', order({ baseUrl }))
    settled.push(outcome)
    return outcome
  })
  await expect.poll(() => settled.length).toBe(8)
  const tooMuch = { outcome: 'unknown', error: 'too much of its answers at once' }
  expect(settled).toEqual(settled.map(() => expect.objectContaining(tooMuch)))

  for (const socket of server.connections) socket.end('{"status":"processing"}')
  expect((await Promise.all(calls)).filter(({ outcome }) => outcome === 'answered')).toHaveLength(4)
  const later = ask('GET', order({ baseUrl }))
  await expect.poll(() => server.requests.length).toBe(13)
  server.connections.at(-1)?.end('{"status":"completed"}')
  expect(await later).toMatchObject({ status: 'completed' })
})
