import { DatabaseDeadline } from './errors.ts'

export type Retried = {
  key: string
  /** Until when a run of it may begin, by `performance.now()`. */
  deadline: number
  reject: (error: unknown) => void
}

// More than one, so that a part that waits for a lock does not hold up those behind it.
const runsAtOnce = 4

/**
 * Tries again what failed together, in parts, a few at a time and each of them until its time is up. `run` may come back
 * with a part of a part. The returned function takes the members of a failed run and how long that took.
 */
export function createRetry<Member extends Retried>(run: (members: Member[]) => Promise<void>) {
  const parts: Member[][] = []
  let running = 0

  async function runParts(): Promise<void> {
    running += 1
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const inTime = keepInTime(part)
      if (inTime.length > 0) await run(inTime)
    }
    running -= 1
  }

  return (members: Member[], tookMs: number): void => {
    parts.push(...partsOf(members, tookMs))
    while (running < runsAtOnce && parts.length > 0) void runParts()
  }
}

/** The members of which a run may still begin. The others are rejected with DatabaseDeadline. */
export function keepInTime<Member extends Retried>(members: Member[]): Member[] {
  const now = performance.now()
  for (const { deadline, reject } of members) if (now >= deadline) reject(new DatabaseDeadline())
  return members.filter(({ deadline }) => now < deadline)
}

/**
 * Halves, or as many parts as it takes to come down to the members at fault before the others' time is up, if each step
 * takes as long again. What belongs to one key is mostly at fault together, and stays together.
 */
function partsOf<Member extends Retried>(members: Member[], tookMs: number): Member[][] {
  const ofKeys = [...Map.groupBy(members, ({ key }) => key).values()]
  const units = ofKeys.length > 1 ? ofKeys : members.map((member) => [member])
  const leftMs = Math.min(...members.map(({ deadline }) => deadline)) - performance.now()
  const steps = 1 + Math.max(0, Math.floor(leftMs / Math.max(1, tookMs)))
  const count = Math.max(2, Math.ceil(units.length ** (1 / steps)))
  const size = Math.ceil(units.length / count)
  return Array.from({ length: Math.ceil(units.length / size) }, (_, place) =>
    units.slice(place * size, (place + 1) * size).flat(),
  )
}
