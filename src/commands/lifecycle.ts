import type { Log } from '../log.ts'

/** What has to be ended, in this order; the steps of one group at the same time. */
export type Ending = (() => Promise<unknown>)[][]

const longestEndMs = 28_000

/**
 * Waits for SIGTERM or SIGINT, or for a part to fail, then ends everything and exits: 0 after a signal, 1 after a
 * failure. A repeated signal is ignored: a terminal's Ctrl-C comes twice, from the terminal and from npm.
 * After 28 s it exits all the same; what is still under way is lost work, not lost data, for claims fence it.
 * `announce` is called as soon as signals are heeded: who is told that the process runs may end it at once.
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
  setTimeout(() => {
    log.warn('work under way did not end in time')
    process.exit(code)
  }, longestEndMs).unref()
  for (const group of ending) {
    const results = await Promise.allSettled(group.map((step) => step()))
    for (const result of results) {
      if (result.status === 'rejected')
        log.warn({ reason: String(result.reason) }, 'a part did not end in order')
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

type Cause = { failed: boolean; reason: string }

function signal(name: 'SIGTERM' | 'SIGINT'): Promise<Cause> {
  return new Promise((resolve) => {
    process.on(name, () => resolve({ failed: false, reason: name }))
  })
}

async function failure(failed: Promise<string>): Promise<Cause> {
  return { failed: true, reason: await failed }
}
