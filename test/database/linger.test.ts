import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { manual, turn } from '../support/manual_batch.ts'

const ms = 20

/** Lets begin what does not linger: it may come a turn after what ends the lingering. */
async function settle(): Promise<void> {
  await turn()
  await turn()
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A batch that lingers until three are there; whose name begins with an exclamation mark is urgent. */
function open() {
  const batch = manual({ linger: { ms, size: 3, isUrgent: (item) => item.startsWith('!') } })
  let answered = 0
  return {
    place: (items: string) => {
      for (const item of items.split(' ')) void batch.call(item)
    },
    /** Answers all that has begun. */
    answer: async () => {
      await settle()
      for (; answered < batch.runs.length; answered += 1) await batch.answer(answered)
      await settle()
    },
    pass: async (time: number) => {
      vi.advanceTimersByTime(time)
      await settle()
    },
    runs: () => batch.runs.map(({ items }) => items.join(' ')),
  }
}

test('after a run of several the next one waits for more, until there are enough or the time has come', async () => {
  const { place, answer, pass, runs } = open()
  place('a b')
  await answer()
  place('c')
  await pass(ms - 1)
  expect(runs()).toEqual(['a b'])
  place('d e f')
  await answer()
  expect(runs()).toEqual(['a b', 'c d e f'])
  place('g')
  await pass(ms - 1)
  expect(runs()).toEqual(['a b', 'c d e f'])
  await pass(1)
  expect(runs()).toEqual(['a b', 'c d e f', 'g'])
})

test('the time counts from the beginning of the run before, so what comes to a batch at rest goes at once', async () => {
  const { place, answer, pass, runs } = open()
  place('a b')
  await settle()
  await pass(ms)
  place('c')
  await answer()
  expect(runs()).toEqual(['a b', 'c'])
  place('d e')
  await answer()
  await pass(ms)
  place('f')
  await settle()
  expect(runs()).toEqual(['a b', 'c', 'd e', 'f'])
})

test('what comes alone does not wait, however soon it follows another', async () => {
  const { place, answer, runs } = open()
  for (const item of ['a', 'b', 'c']) {
    place(item)
    await answer()
  }
  expect(runs()).toEqual(['a', 'b', 'c'])
})

test('an urgent one takes with it what lingers, also where it has come during the run', async () => {
  const { place, answer, runs } = open()
  place('a b')
  await answer()
  place('c')
  await settle()
  expect(runs()).toEqual(['a b'])
  place('!d')
  await settle()
  expect(runs()).toEqual(['a b', 'c !d'])
  place('!e')
  await settle()
  expect(runs()).toEqual(['a b', 'c !d'])
  await answer()
  place('f')
  await answer()
  expect(runs()).toEqual(['a b', 'c !d', '!e', 'f'])
})

test.each([
  ['where those who wait are all there are, it lingers ever more seldom', undefined, [2, 7, 16]],
  ['but each time again once there were enough', 7, [2, 7, 8, 13, 22]],
])('%s', async (_, roundWithEnough, rounds) => {
  const { place, answer, pass, runs } = open()
  const lingered: number[] = []
  for (let round = 1; round <= 30; round += 1) {
    place('a b')
    await answer()
    if (runs().length === round) continue
    lingered.push(round)
    if (round === roundWithEnough) place('c')
    else await pass(ms)
    await answer()
    expect(runs()).toHaveLength(round)
  }
  expect(lingered).toEqual(rounds)
})

test('so it does while they come steadily, if slowly', async () => {
  const { place, answer, pass, runs } = open()
  place('a b')
  await answer()
  for (const [first, second] of ['cd', 'ef', 'gh']) {
    place(`${first}`)
    await pass(ms - 5)
    place(`${second}`)
    await pass(5)
    await answer()
  }
  expect(runs()).toEqual(['a b', 'c d', 'e f', 'g h'])
})
