import { expect, test } from 'vitest'
import { createKeyUses } from '../../../src/http/middleware/key_uses.ts'

/** Notes of key uses, the keys of each call that they made, and a clock to set. */
function makeKeyUses(call: () => Promise<null> = async () => null) {
  const calls: string[][] = []
  const clock = { ms: 0 }
  const db = {
    call: (_: string, { key_ids }: { key_ids: string[] }) => {
      calls.push(key_ids)
      return call()
    },
  }
  const log = { debug: () => {} }
  const note = createKeyUses(db as never, log as never, () => clock.ms)
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { note, calls, clock, settled }
}

test('a key is noted at its first use, and not again within a minute', async () => {
  const { note, calls, clock, settled } = makeKeyUses()
  for (clock.ms = 0; clock.ms < 60_000; clock.ms += 1_000) {
    note('1')
    note('2')
    await settled()
  }
  expect(calls.flat().sort()).toEqual(['1', '2'])
  note('1')
  await settled()
  expect(calls.at(-1)).toEqual(['1'])
  expect(calls.flat()).toHaveLength(3)
})

test('a use that could not be noted is noted with the next one', async () => {
  let fails = true
  const { note, calls, settled } = makeKeyUses(async () => {
    if (fails) throw new Error('down')
    return null
  })
  note('1')
  await settled()
  fails = false
  for (const _ of [1, 2]) {
    note('1')
    await settled()
  }
  expect(calls).toEqual([['1'], ['1']])
})

test('of more keys than are remembered the oldest are forgotten first', async () => {
  const { note, calls, settled } = makeKeyUses()
  for (let key = 0; key < 10_001; key += 1) {
    note(String(key))
    if (key % 500 === 0) await settled()
  }
  await settled()
  const before = calls.flat().length
  note('10000')
  await settled()
  expect(calls.flat()).toHaveLength(before)
  note('0')
  await settled()
  expect(calls.flat()).toHaveLength(before + 1)
})
