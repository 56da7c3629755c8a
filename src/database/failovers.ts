import { type Log, safeError } from '../log.ts'
import type { Database, Functions } from './client.ts'

/** A database whose important writes are remembered, and looked for after each failover. */
export type WatchedDatabase = { db: Database; stop(): void }

type WatchOptions<Write> = {
  /** Returns the timeline of the database, which another server's promotion changes. */
  readTimeline: () => Promise<string | null>
  /** Reports those of the writes that the database does not have, and returns them. */
  reportLost: (writes: Write[]) => Promise<string[]>
  log: Log
}

const lookMs = 1_000
// A standby that is promoted can lag by more, but then operators have been alerted of the lag.
const keepMs = 10 * 60_000
const maxWrites = 20_000

/**
 * Makes a database that remembers the orders that this API acknowledged. After a failover it reports those that the
 * database does not have: the standby that was promoted lagged.
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
  const noteOrders = (placed: Functions['api.place_orders']['result']) => {
    for (const { result, body } of placed) {
      if (result !== 'created' && result !== 'replayed') continue
      const code = codeOf(body)
      note(code, code)
    }
  }
  return { db: observed(db, (name, _, result) => name === 'api.place_orders' && noteOrders(result as never)), stop }
}

/**
 * The code of an order in JSON: its first field, which is not worth the parsing of all. It is a copy, because a part of a
 * string keeps the whole string in memory.
 */
function codeOf(body: string): string {
  const [, code = ''] = /"code"\s*:\s*"([^"]+)"/.exec(body) ?? []
  return Buffer.from(code).toString()
}

type Call = { item_id: string; lease_token: string; is_recorded: boolean }

/**
 * Makes a database that remembers the calls to suppliers that this worker leased, and whose results it recorded. After
 * a failover it reports those that the database does not have.
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
  const noteLeased = (leased: Functions['work.begin_calls']['result']) => {
    for (const { item_id, lease_token } of leased) note(lease_token, { item_id, lease_token, is_recorded: false })
  }
  const noteRecorded = (
    results: { itemId: string; leaseToken: string }[],
    rows: Functions['work.finish_calls']['result'],
  ) => {
    for (const { ordinal, verdict } of rows) {
      const result = ordinal === null || verdict === 'busy' ? undefined : results[ordinal - 1]
      if (result === undefined) continue
      const { itemId: item_id, leaseToken: lease_token } = result
      note(lease_token, { item_id, lease_token, is_recorded: true })
    }
  }
  return {
    db: observed(db, (name, args, result) => {
      if (name === 'work.begin_calls') noteLeased(result as never)
      if (name === 'work.finish_calls') noteRecorded((args as { results: never }).results, result as never)
    }),
    stop,
  }
}

/** The same database; each call that succeeds is observed. */
function observed(db: Database, observe: (name: string, args: object | undefined, result: unknown) => void): Database {
  return {
    ...db,
    call: async (name, ...args) => {
      const result = await db.call(name, ...args)
      observe(name, args[0], result)
      return result
    },
  }
}

/**
 * Remembers writes by a key, the latest under each, up to a number and an age. Once a second it reads the timeline;
 * after that has changed it looks for them all. While the database is away, none grows too old.
 */
function watchFailovers<Write>({ readTimeline, reportLost, log }: WatchOptions<Write>) {
  const writes = new Map<string, { write: Write; at: number }>()
  let timeline: string | null = null
  let isLooking = false

  async function look(): Promise<void> {
    const lookedAt = performance.now()
    const current = await readTimeline()
    if (current !== timeline && writes.size > 0) {
      const lost = await reportLost([...writes.values()].map(({ write }) => write))
      if (lost.length > 0) log.error({ lost, timeline: current }, 'a failover lost acknowledged work')
      else if (timeline !== null) log.info({ timeline: current }, 'a failover lost nothing that this process remembers')
    }
    timeline = current
    for (const [key, { at }] of writes) {
      if (lookedAt - at <= keepMs) break
      writes.delete(key)
    }
  }

  async function tryLook(): Promise<void> {
    if (isLooking) return
    isLooking = true
    // While the database is away there is nothing to do: a later look finds out.
    await look().catch((error) => log.debug({ error: safeError(error) }, 'the timeline could not be read'))
    isLooking = false
  }

  const timer = setInterval(tryLook, lookMs).unref()
  void tryLook()
  return {
    note(key: string, write: Write): void {
      writes.delete(key)
      writes.set(key, { write, at: performance.now() })
      const [oldest] = writes.keys()
      if (writes.size > maxWrites && oldest !== undefined) writes.delete(oldest)
    },
    stop: () => clearInterval(timer),
  }
}
