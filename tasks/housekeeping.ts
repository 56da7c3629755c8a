import { setTimeout as sleep } from 'node:timers/promises'
import type { Task } from 'graphile-worker'
import type { Config } from '../src/config.ts'
import type { Database } from '../src/database/client.ts'

export type HousekeepingOptions = {
  db: Database
  /** For how many days rows are kept. */
  days: Config['retainDays']
  /** Aborted when the worker stops. */
  stopping: AbortSignal
}

/** The pause between two parts, each of a thousand rows, so that other statements can run. */
const pauseMs = 50
/** How long a job may run. The next minute's job continues where this one ended. */
const maxMs = 50_000

/**
 * Makes the task that deletes rows that were kept for long enough. It works in small parts: after a pause, or with a
 * new setting, there may be many rows.
 */
export function createHousekeeping({ db, days, stopping }: HousekeepingOptions): Task {
  const removals = [
    ['rate windows', '5 minutes'],
    ['samples', '1 day'],
    ['simulated orders', '7 days'],
    ['imports', '7 days'],
    ['statements', `${days.attempts} days`],
    ['raw answers', `${days.raw} days`],
    ['supplier attempts', `${days.attempts} days`],
    ['delivery attempts', `${days.attempts} days`],
    ['supplier events', `${days.attempts} days`],
    ['offer changes', `${days.attempts} days`],
    ['alerts', `${days.alerts} days`],
    ...(days.deliveryData === undefined ? [] : [['delivery data', `${days.deliveryData} days`] as const]),
  ] as const

  return async () => {
    const ended = AbortSignal.any([stopping, AbortSignal.timeout(maxMs)])
    for (const [what, retain] of removals) {
      const removePart = (is_first: boolean) => db.call('work.remove_old', { what, retain, is_first })
      for (let isFirst = true; !ended.aborted && (await removePart(isFirst)); isFirst = false) await sleep(pauseMs)
    }
  }
}
