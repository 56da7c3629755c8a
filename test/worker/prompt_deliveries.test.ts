import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { createPromptDeliveries, type PromptDeliveries } from '../../src/worker/prompt_deliveries.ts'

/** The attempts under way, by event: each ends when it is told to. */
const sent = new Map<string, () => void>()
let unavailable = false
let deliveries: PromptDeliveries
const deliver = (id: string) =>
  deliveries.deliver([{ leased_attempt: null }, { leased_attempt: JSON.stringify({ event_id: id }) }])

beforeEach(() => {
  sent.clear()
  unavailable = false
  deliveries = createPromptDeliveries({
    make: async ({ event_id: event }) => {
      if (unavailable) throw new Error('the database is away')
      if (event !== 'over') await new Promise<void>((resolve) => sent.set(event, resolve))
    },
    log: pino({ level: 'silent' }),
    most: 3,
  })
})

test('there are as many places as are free', async () => {
  for (const id of ['a', 'b']) deliver(id)
  expect(deliveries.places()).toBe(1)
  for (const id of ['c', 'd']) deliver(id)
  expect(deliveries.places()).toBe(0)
  await expect.poll(() => [...sent.keys()]).toEqual(['a', 'b', 'c', 'd'])
  for (const id of ['a', 'b', 'c']) sent.get(id)?.()
  await expect.poll(() => deliveries.places()).toBe(2)
})

test('what has nothing to do, or fails, gives its place back', async () => {
  deliver('over')
  await expect.poll(() => deliveries.places()).toBe(3)
  unavailable = true
  deliver('a')
  await expect.poll(() => deliveries.places()).toBe(3)
  expect(sent.size).toBe(0)
})

test('the end waits for what is under way, and lets nothing begin', async () => {
  deliver('a')
  await expect.poll(() => sent.size).toBe(1)
  let ended = false
  const end = deliveries.end().then(() => {
    ended = true
  })
  expect(deliveries.places()).toBe(0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toBe(false)
  sent.get('a')?.()
  await end
})
