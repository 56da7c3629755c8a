import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/database/client.ts'
import { noSealing } from '../../src/sealing/sealing.ts'
import { noTracer } from '../../src/tracing/tracer.ts'
import { createDeliverWebhook, type FirstAttempts } from '../../tasks/deliver_webhook.ts'

/** The attempts under way, by event: each ends when the test ends it. */
const sent = new Map<string, () => void>()
let firstAttempts: FirstAttempts

/** Records results, with which SQL leases the first attempts of these events. Returns how many more it may lease. */
async function lease(...ids: string[]): Promise<number> {
  let capacity = Number.NaN
  await firstAttempts.lease(async ({ to_send }) => {
    capacity = to_send
    const attempts = ids.map((id) => ({ event_id: id, secret: 'secret', request_id: null, traceparent: null }))
    return { answers: [], ended: [], attempts } as never
  })
  return capacity
}

beforeEach(() => {
  sent.clear()
  const recorded = { answers: [{ ordinal: 1, verdict: 'delivered' }], ended: [], attempts: [] }
  const db = { call: async () => recorded } as unknown as Database
  firstAttempts = createDeliverWebhook({
    db,
    send: async ({ event_id: event }) => {
      if (event === 'broken') throw new Error('the sender is broken')
      await new Promise<void>((resolve) => sent.set(event, resolve))
      return { kind: 'answered', status: 200, retryAfter: null }
    },
    maxFirstAttempts: 3,
    poolId: () => 'pool-1',
    metrics: { countDelivery: () => {}, observeNotifiedOrder: () => {} },
    sealing: noSealing,
    log: pino({ level: 'silent' }),
    tracer: noTracer,
  }).firstAttempts
})

test('the capacity for first attempts is the limit less those under way', async () => {
  expect(await lease('a', 'b')).toBe(3)
  expect(await lease('c', 'd')).toBe(1)
  expect(await lease()).toBe(0)
  await expect.poll(() => [...sent.keys()]).toEqual(['a', 'b', 'c', 'd'])
  for (const id of ['a', 'b', 'c']) sent.get(id)?.()
  await expect.poll(() => lease()).toBe(2)
})

test('a first attempt that fails gives its capacity back', async () => {
  await lease('broken')
  await expect.poll(() => lease()).toBe(3)
})

test('the end waits for the first attempts under way, and lets no other begin', async () => {
  await lease('a')
  await expect.poll(() => sent.size).toBe(1)
  let ended = false
  const end = firstAttempts.end().then(() => {
    ended = true
  })
  expect(await lease()).toBe(0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toBe(false)
  sent.get('a')?.()
  await end
})
