import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createKeyUses } from '../../../src/http/middleware/key_uses.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** What records key uses, with the keys of each call that it made. */
function makeKeyUses(call: () => Promise<null> = async () => null) {
  const calls: string[][] = []
  const db = {
    call: (_: string, { key_ids }: { key_ids: string[] }) => {
      calls.push(key_ids)
      return call()
    },
  }
  const record = createKeyUses(db as never, { debug: () => {} } as never)
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { record, calls, settled }
}

test('a key is recorded at its first use, and not again within a minute', async () => {
  const { record, calls, settled } = makeKeyUses()
  for (let second = 0; second < 60; second += 1) {
    record('1')
    record('2')
    await settled()
    vi.advanceTimersByTime(1_000)
  }
  expect(calls.flat().sort()).toEqual(['1', '2'])
  record('1')
  await settled()
  expect(calls.slice(1)).toEqual([['1']])
})

test('a use that could not be recorded is recorded with the next one', async () => {
  let fails = true
  const { record, calls, settled } = makeKeyUses(async () => {
    if (fails) throw new Error('down')
    return null
  })
  record('1')
  await settled()
  fails = false
  for (const _ of [1, 2]) {
    record('1')
    await settled()
  }
  expect(calls).toEqual([['1'], ['1']])
})
