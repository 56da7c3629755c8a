import type { Database } from '../../database/client.ts'

/** Why a request waits no more: there are results, its time is over, or its client or this process ends. */
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
   * A place for a request that has seen the account's results up to the number `after`. Undefined if all places are
   * taken: answer at once then.
   */
  enter(accountId: string, after: number): Waiter | undefined
  /** Ends all waiting, and gives no more places. */
  end(): void
}

export type ResultWaitersOptions = {
  db: Pick<Database, 'call'>
  /** How many requests may wait in this process, and how many of one account. */
  max?: number
  maxOfAccount?: number
}

const pollMs = 250

type Place = { accountId: string; after: number; isOver: boolean; wake: (reason: Reason) => void }

/** Makes the places of this process. One statement at a time polls for all requests that wait. */
export function createResultWaiters({ db, max = 1_000, maxOfAccount = 10 }: ResultWaitersOptions): ResultWaiters {
  const places = new Set<Place>()
  let timer: NodeJS.Timeout | undefined
  let isPolling = false
  let isEnded = false

  async function poll(): Promise<void> {
    const waiting = [...places]
    if (isPolling || waiting.length === 0) return
    isPolling = true
    try {
      const account_ids = waiting.map(({ accountId }) => accountId)
      const after = waiting.map((place) => place.after)
      const found = await db.call('api.accounts_with_results', { account_ids, after })
      const accounts = new Set(found.map(({ account_id }) => account_id))
      for (const place of waiting) if (accounts.has(place.accountId)) place.wake('results')
    } catch {
      // The next poll may succeed.
    } finally {
      isPolling = false
    }
  }

  return {
    enter(accountId, after) {
      const ofAccount = [...places].filter((place) => place.accountId === accountId).length
      if (isEnded || places.size >= max || ofAccount >= maxOfAccount) return undefined
      const place: Place = { accountId, after, isOver: false, wake: () => {} }
      places.add(place)
      timer ??= setInterval(poll, pollMs).unref()
      return { next: (until) => nextReason(place, until), end: () => end(place), leave: () => places.delete(place) }
    },
    end() {
      isEnded = true
      clearInterval(timer)
      for (const place of places) end(place)
    },
  }
}

function end(place: Place): void {
  place.isOver = true
  place.wake('end')
}

function nextReason(place: Place, until: number): Promise<Reason> {
  return new Promise((resolve) => {
    if (place.isOver) return resolve('end')
    const timer = setTimeout(() => resolve('time'), Math.max(0, until - performance.now()))
    place.wake = (reason) => {
      clearTimeout(timer)
      resolve(reason)
    }
  })
}
