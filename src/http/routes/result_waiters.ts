import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../database/client.ts'
import type { Notifications } from '../../database/connections/notifications.ts'

/** Why a request waits no more: there may be results, its time is over, or its client or this process ends. */
type Reason = 'results' | 'time' | 'end'

/** A request that waits for results of its account. */
export type Waiter = {
  /** Waits for a reason, at most until a time of `performance.now()`. */
  next(until: number): Promise<Reason>
  /** Ends the waiting at once: the client hung up. */
  end(): void
  /** Frees the place. */
  leave(): void
}

/** The requests of this process that wait for results. They hold no connection to the database. */
export type ResultWaiters = {
  /**
   * A place for a request that has seen the account's results up to the number `after`. Each later result wakes it, so
   * look for results after this call. Undefined if all places are taken: answer at once then.
   */
  enter(accountId: string, after: number): Waiter | undefined
  /** Ends all waiting, and gives no more places. */
  end(): Promise<void>
}

/** Listens for accounts with new results. It calls back with each account, and when it begins to listen. */
export type ListenForResults = (heard: { account(id: string): void; listening(): void }) => Notifications

export type ResultWaitersOptions = {
  db: Pick<Database, 'call'>
  /** Called for the first request that waits. Without it, waiting requests poll once a second. */
  listen?: ListenForResults | undefined
  /** How many requests may wait in this process, and how many of one account. */
  max?: number
  maxOfAccount?: number
}

// A notification can get lost, so this process also polls.
const pollMs = 1_000

type Place = { accountId: string; after: number; wake(reason: Reason): void }

export function createResultWaiters(options: ResultWaitersOptions): ResultWaiters {
  const { db, listen, max = 1_000, maxOfAccount = 10 } = options
  const places = new Set<Place>()
  let notifications: Notifications | undefined
  let timer: NodeJS.Timeout | undefined
  let isPolling = false
  let isEnded = false

  const placesOf = (accountId: string) => [...places].filter((place) => place.accountId === accountId)

  function wake(accountId: string): void {
    for (const place of placesOf(accountId)) place.wake('results')
  }

  /** One statement polls for all requests that wait. */
  async function poll(): Promise<void> {
    const waiting = [...places]
    if (isPolling || waiting.length === 0) return
    isPolling = true
    try {
      const account_ids = waiting.map(({ accountId }) => accountId)
      const after = waiting.map((place) => place.after)
      const found = await db.call('api.accounts_with_results', { account_ids, after })
      for (const { account_id } of found) wake(account_id)
    } catch {
      // The next poll may succeed.
    } finally {
      isPolling = false
    }
  }

  return {
    enter(accountId, after) {
      if (isEnded || places.size >= max || placesOf(accountId).length >= maxOfAccount) return undefined
      const { wake: wakeUp, next } = createAlarm()
      const place = { accountId, after, wake: wakeUp }
      places.add(place)
      notifications ??= listen?.({ account: wake, listening: poll })
      timer ??= setInterval(poll, pollMs).unref()
      return { next, end: () => wakeUp('end'), leave: () => places.delete(place) }
    },
    async end() {
      isEnded = true
      clearInterval(timer)
      for (const place of places) place.wake('end')
      await notifications?.end()
    },
  }
}

/** Keeps a reason until `next` takes it. An end stays. */
function createAlarm() {
  let reason: Reason = 'time'
  let waking = new AbortController()
  return {
    wake(given: Reason): void {
      if (reason !== 'end') reason = given
      waking.abort()
    },
    async next(until: number): Promise<Reason> {
      const { signal } = waking
      await sleep(Math.max(0, until - performance.now()), undefined, { signal }).catch(() => {})
      const taken = reason
      if (taken !== 'end') {
        reason = 'time'
        waking = new AbortController()
      }
      return taken
    },
  }
}
