import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/database/client.ts'
import { noSealing } from '../../src/sealing/sealing.ts'
import { noTracer } from '../../src/tracing/tracer.ts'
import { createDeliverWebhook, type FirstAttempts } from '../../tasks/deliver_webhook.ts'

/** The attempts under way, by event: each ends when the test ends it. */
const sent = new Map<string, () => void>()
let firstAttempts: FirstAttempts
const attempt = (id: string) => ({ event_id: id, secret: 'secret', request_id: null, traceparent: null })
const begin = (id: string) => firstAttempts.begin([{ event_id: null }, attempt(id)], performance.now())

beforeEach(() => {
  sent.clear()
  const answer = { ordinal: 1, verdict: 'delivered', notified_seconds: null, event_id: null }
  const db = { call: async () => [answer] } as unknown as Database
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
  for (const id of ['a', 'b']) begin(id)
  expect(firstAttempts.request().to_send).toBe(1)
  for (const id of ['c', 'd']) begin(id)
  expect(firstAttempts.request().to_send).toBe(0)
  await expect.poll(() => [...sent.keys()]).toEqual(['a', 'b', 'c', 'd'])
  for (const id of ['a', 'b', 'c']) sent.get(id)?.()
  await expect.poll(() => firstAttempts.request().to_send).toBe(2)
})

test('a first attempt that fails gives its capacity back', async () => {
  begin('broken')
  expect(firstAttempts.request().to_send).toBe(2)
  await expect.poll(() => firstAttempts.request().to_send).toBe(3)
})

test('the end waits for the first attempts under way, and lets no other begin', async () => {
  begin('a')
  await expect.poll(() => sent.size).toBe(1)
  let ended = false
  const end = firstAttempts.end().then(() => {
    ended = true
  })
  expect(firstAttempts.request().to_send).toBe(0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toBe(false)
  sent.get('a')?.()
  await end
})
