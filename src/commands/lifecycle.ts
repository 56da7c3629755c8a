import type { Log } from '../log.ts'

/** The steps that end the process, in this order. The steps of one group run at the same time. */
export type Ending = (() => Promise<unknown>)[][]

const maxDrainMs = 28_000
// A process that failed makes way for its successor: what it would still record is fenced and done again.
const maxFailedEndMs = 5_000

/**
 * Waits for SIGTERM or SIGINT, or for a part to fail, then ends everything and exits: 0 after a signal, 1 after a
 * failure. A repeated signal is ignored (but see `endOnSecondInterrupt`).
 * It exits at the latest after 28 s, or 5 s after a failure. A call that is still under way then loses its result, and
 * the end of its lease recovers the work.
 * It calls `announce` after it has begun to handle signals: the reader of the announcement may end the process at once.
 */
export async function runUntilEnded(
  log: Log,
  failed: Promise<string>[],
  ending: Ending,
  announce: () => void = () => {},
): Promise<never> {
  const causes = [heedSignals(), ...failed.map(failure)]
  announce()
  const cause = await Promise.race(causes)
  if (cause.failed) log.error(cause.reason)
  else log.info(`${cause.reason}: ending`)
  const code = cause.failed ? 1 : 0
  setTimeout(
    () => {
      log.warn('work under way did not end in time')
      process.exit(code)
    },
    cause.failed ? maxFailedEndMs : maxDrainMs,
  ).unref()
  for (const group of ending) {
    const results = await Promise.allSettled(group.map((step) => step()))
    for (const result of results) {
      if (result.status === 'rejected') log.warn({ reason: String(result.reason) }, 'a part did not end in order')
    }
  }
  process.exit(code)
}

let heeded: Promise<Cause> | undefined

/**
 * From now on SIGTERM and SIGINT do not end the process by themselves: one that comes before `runUntilEnded` is heeded
 * there, once all is up that has to be ended in order. Gives the first one.
 */
export function heedSignals(): Promise<Cause> {
  heeded ??= Promise.race([signal('SIGTERM'), signal('SIGINT')])
  return heeded
}

// A terminal's Ctrl-C comes twice, from the terminal and from npm.
const sameInterruptMs = 500

/**
 * For a person at a terminal: a second Ctrl-C ends the process at once. The work under way is recovered by its leases.
 */
export function endOnSecondInterrupt(): void {
  let firstAt: number | undefined
  process.on('SIGINT', () => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > sameInterruptMs) process.exit(130)
  })
}

type Cause = { failed: boolean; reason: string }

function signal(name: 'SIGTERM' | 'SIGINT'): Promise<Cause> {
  return new Promise((resolve) => {
    process.on(name, () => resolve({ failed: false, reason: name }))
  })
}

async function failure(failed: Promise<string>): Promise<Cause> {
  return { failed: true, reason: await failed }
}
