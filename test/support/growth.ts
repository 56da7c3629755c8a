import fc from 'fast-check'

/** A text that grows: its run is repeated until it has the wanted length. */
export type Shape = { before: string; run: string; after: string }

/**
 * The lengths of runs, each compared with the one before it: exponential cost shows among the short ones, before it
 * hangs the test at the long ones.
 */
const lengths = [12, 16, 24, 32, 40, 512, 4096] as const

/** A text that costs less is cheap enough, however its cost grows. */
const floorMs = 2

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

/**
 * Whether the cost of replacing in a text grows faster than its length. Costs are CPU time of this thread, the least of
 * five tries, so that other work of the machine does not count.
 */
export function growsTooFast(shape: Shape, expression: RegExp): boolean {
  return lengths.some((length, index) => {
    const shorter = lengths[index - 1]
    if (shorter === undefined) return false
    const [long, short] = [textOf(shape, length), textOf(shape, shorter)]
    if (costMs(expression, long) < floorMs) return false
    const least = (text: string) => Math.min(...Array.from({ length: tries }, () => costMs(expression, text)))
    const slow = least(long)
    return slow >= floorMs && slow >= (length / shorter) ** steepest * least(short)
  })
}

function costMs(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage()
  text.replace(expression, '')
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

function textOf({ before, run, after }: Shape, length: number): string {
  return before + run.repeat(Math.ceil(length / run.length)) + after
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
