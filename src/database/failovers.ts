import { type Log, safeError } from '../log.ts'
import { repeat } from '../repeat.ts'
import type { Database } from './client.ts'
import { codeOf, observed } from './observed.ts'

/** A database whose important writes this process remembers, and checks after each failover. */
export type WatchedDatabase = { db: Database; stop(): void }

type WatchOptions<Write> = {
  /** Returns the timeline of the database, which another server's promotion changes. */
  readTimeline: () => Promise<string | null>
  /** Reports the writes that the database does not have, and returns them. */
  reportLost: (writes: Write[]) => Promise<string[]>
  log: Log
}

const lookMs = 1_000
// A standby that is promoted can lag by more, but then operators have been alerted of the lag.
const keepMs = 10 * 60_000
const maxWrites = 20_000

/**
 * Makes a database that remembers the orders that this API acknowledged. After a failover it reports the orders that
 * the database does not have, because the promoted standby lagged.
 */
export function watchOrders(db: Database, log: Log): WatchedDatabase {
  const { note, stop } = watchFailovers<string>({
    readTimeline: () => db.call('api.read_timeline'),
    reportLost: async (codes) => {
      const rows = await db.call('api.report_lost_orders', { codes })
      return rows.map(({ lost_code }) => lost_code)
    },
    log,
  })
  return {
    db: observed(db, {
      'api.place_orders': (placed) => {
        for (const { result, body } of placed) {
          if (result !== 'created' && result !== 'replayed') continue
          const code = codeOf(body)
          note(code, code)
        }
      },
    }),
    stop,
  }
}

type Call = { item_id: string; lease_token: string; is_recorded: boolean }

/**
 * Makes a database that remembers the calls to suppliers that this worker leased, and the results that it recorded.
 * After a failover it reports those that the database does not have.
 */
export function watchCalls(db: Database, log: Log): WatchedDatabase {
  const { note, stop } = watchFailovers<Call>({
    readTimeline: () => db.call('work.follow_timeline'),
    reportLost: async (calls) => {
      const rows = await db.call('work.report_lost_calls', {
        item_ids: calls.map(({ item_id }) => item_id),
        lease_tokens: calls.map(({ lease_token }) => lease_token),
        are_recorded: calls.map(({ is_recorded }) => is_recorded),
      })
      return rows.map(({ lost_item }) => lost_item)
    },
    log,
  })
  return {
    db: observed(db, {
      'work.begin_calls': (leased) => {
        for (const { item_id, lease_token, method } of leased)
          if (method !== 'stock') note(lease_token, { item_id, lease_token, is_recorded: false })
      },
      'work.sell_stock': ({ answers }, args) => {
        const [item_ids, sale_tokens] = [args.item_ids, args.sale_tokens] as (readonly string[])[]
        for (const { ordinal, verdict } of answers) {
          if (verdict === 'busy' || verdict === 'stale') continue
          const [item_id = '', lease_token = ''] = [item_ids?.[ordinal - 1], sale_tokens?.[ordinal - 1]]
          note(lease_token, { item_id, lease_token, is_recorded: true })
        }
      },
      'work.finish_calls': ({ answers }, args) => {
        const results = args.results as { itemId: string; leaseToken: string }[]
        for (const { ordinal, verdict } of answers) {
          const result = verdict === 'busy' ? undefined : results[ordinal - 1]
          if (result === undefined) continue
          const { itemId: item_id, leaseToken: lease_token } = result
          note(lease_token, { item_id, lease_token, is_recorded: true })
        }
      },
    }),
    stop,
  }
}

/**
 * Remembers the latest write of each key, up to a number and an age. Once a second it reads the timeline, and after a
 * change of the timeline it checks all remembered writes.
 */
function watchFailovers<Write>({ readTimeline, reportLost, log }: WatchOptions<Write>) {
  const writes = new Map<string, { write: Write; at: number }>()
  let timeline: string | null = null

  async function look(): Promise<void> {
    const lookedAt = performance.now()
    const current = await readTimeline()
    if (current !== timeline && writes.size > 0) {
      const lost = await reportLost([...writes.values()].map(({ write }) => write))
      if (lost.length > 0) log.error({ lost, timeline: current }, 'a failover lost acknowledged work')
      else if (timeline !== null) log.info({ timeline: current }, 'a failover lost nothing that this process remembers')
    }
    timeline = current
    // Only a successful check reaches this line: while the database is unavailable, no write becomes too old.
    for (const [key, { at }] of writes) {
      if (lookedAt - at <= keepMs) break
      writes.delete(key)
    }
  }

  const stopLooking = repeat(
    lookMs,
    // While the database is unavailable there is nothing to do: a later check finds the change.
    () => look().catch((error) => log.debug({ error: safeError(error) }, 'the timeline could not be read')),
    { isBackground: true },
  )
  return {
    note(key: string, write: Write): void {
      writes.delete(key)
      writes.set(key, { write, at: performance.now() })
      const [oldest] = writes.keys()
      if (writes.size > maxWrites && oldest !== undefined) writes.delete(oldest)
    },
    stop: () => void stopLooking(),
  }
}
