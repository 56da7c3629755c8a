import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SupplierOutcome } from '../../src/suppliers/outcome.ts'
import { httpAdapters, portOf } from './harness.ts'

const { ask, order } = httpAdapters()
const held: ServerResponse[] = []
// Nearly all of the 1 MiB that an answer may have, and then nothing.
const server = createServer((_, response) => {
  response.write(' '.repeat(1_000_000))
  held.push(response)
})

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('unfinished answers of one supplier take 4 MiB at most, and free them when they end', async () => {
  const baseUrl = `http://127.0.0.1:${portOf(server)}`
  const settled: SupplierOutcome[] = []
  const calls = Array.from({ length: 12 }, async () => {
    const outcome = await ask('GET', order({ baseUrl }))
    settled.push(outcome)
    return outcome
  })
  await expect.poll(() => settled.length).toBe(8)
  const tooMuch = { outcome: 'unknown', error: 'too much of its answers at once' }
  expect(settled).toEqual(settled.map(() => expect.objectContaining(tooMuch)))

  for (const response of held) response.end('{"status":"processing"}')
  expect((await Promise.all(calls)).filter(({ outcome }) => outcome === 'answered')).toHaveLength(4)
  const later = ask('GET', order({ baseUrl }))
  await expect.poll(() => held.length).toBe(13)
  held.at(-1)?.end('{"status":"completed"}')
  expect(await later).toMatchObject({ status: 'completed' })
})
