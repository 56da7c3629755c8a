import fc from 'fast-check'

/** A text that grows: its run is repeated until it has the length that is wanted. */
export type Shape = { before: string; run: string; after: string }

/** Returns the milliseconds that work on a text takes, at its best of a few tries. */
export type Stopwatch = (shape: Shape, length: number) => Promise<number> | number

/**
 * The lengths of runs, each compared with the one before it: what takes exponential time shows among the short ones,
 * and does not hang the test at the long ones.
 */
export const lengths = [8, 12, 16, 20, 24, 28, 32, 128, 512, 2048, 8192] as const

/** Below this a text is cheap enough, however its cost grows, and the clock would say more about the machine. */
export const floorMs = 2

/** Linear cost grows with the length to the power of 1, quadratic cost to that of 2. */
const steepest = 1.6
const tries = 5

const characters = [...' \t\n09aAfZж"\'%,./:=@[\\]_-{}<>…\u0000']
const pairs = ['a.', '.a', '-a', '1.', '1,', '":', '\\"', 'a1', 'A-', '//', ' ,', 'aA']

/**
 * Texts that try an expression: some that it matches and the beginnings of common ones, with a long run of each class
 * of characters in the midst of them, then going on as they did or with a character that spoils the match.
 */
export function shapesFor(expression: RegExp): Shape[] {
  return ['', 'a', 'http://a.b', ...matchesOf(expression)].flatMap((text) =>
    placesIn(text).flatMap((place) => {
      const [before, after] = [text.slice(0, place), text.slice(place)]
      const own = before === '' ? [] : [before.slice(-1), before.slice(-2)]
      return [...characters, ...pairs, ...own].flatMap((run) =>
        ['', '\u0001'].map((end) => ({ before, run, after: after + end })),
      )
    }),
  )
}

/** The text of a shape with a run of so many characters. */
export function textOf({ before, run, after }: Shape, length: number): string {
  return before + run.repeat(Math.ceil(length / run.length)) + after
}

/**
 * Whether the cost of a text grows faster than its length. It is judged by the ratio of the least costs in five tries,
 * where there is a cost to speak of: what else the machine does can only add to a cost.
 */
export async function growsTooFast(shape: Shape, stopwatch: Stopwatch): Promise<boolean> {
  for (const [index, length] of lengths.entries()) {
    const shorter = lengths[index - 1]
    if (shorter !== undefined && (await isSteep(shape, stopwatch, shorter, length))) return true
  }
  return false
}

async function isSteep(
  shape: Shape,
  stopwatch: Stopwatch,
  shorter: number,
  longer: number,
): Promise<boolean> {
  const bound = (longer / shorter) ** steepest
  let [slow, quick] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let attempt = 0; attempt < tries; attempt += 1) {
    slow = Math.min(slow, await stopwatch(shape, longer))
    if (slow < floorMs) return false
    quick = Math.min(quick, await stopwatch(shape, shorter))
  }
  return slow >= bound * quick
}

function placesIn(text: string): number[] {
  const step = Math.max(1, Math.floor(text.length / 4))
  return [...new Set([0, step, 2 * step, 3 * step, text.length])].filter((place) => place <= text.length)
}

/** The same at each run of the tests. Nothing where fast-check does not know all that the expression uses. */
function matchesOf(expression: RegExp): string[] {
  try {
    return fc.sample(fc.stringMatching(expression), { numRuns: 3, seed: 1 }).map((text) => text.slice(0, 200))
  } catch {
    return []
  }
}
