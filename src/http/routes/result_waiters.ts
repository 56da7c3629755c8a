import type { Database } from '../../database/client.ts'
import type { Notifications } from '../../database/connections/notifications.ts'

/** A request that waits for results of its account. */
export type Waiter = {
  /** Waits until there may be some (`results`), until the time of `performance.now()`, or until nobody waits any more. */
  next(until: number): Promise<'results' | 'time' | 'end'>
  /** Ends the waiting at once: the client has gone. */
  end(): void
  /** Frees the place. */
  leave(): void
}

/** The requests of this process that wait for results. They hold no connection to the database. */
export type ResultWaiters = {
  /**
   * A place for a request that has seen the account's results up to the number `after`. It is woken by all that comes from
   * now on, so look for results after it was taken. Undefined where there is none: answer at once then.
   */
  enter(accountId: string, after: number): Waiter | undefined
  /** Ends all waiting, and gives no places any more. */
  end(): Promise<void>
}

/** Listens for accounts with new results: it calls back with the accounts, and when it begins to listen. */
export type ListenForResults = (heard: { account(id: string): void; listening(): void }) => Notifications

export type ResultWaitersOptions = {
  db: Pick<Database, 'call'>
  /** Called when somebody waits for the first time. Without it, waiting requests poll once a second. */
  listen?: ListenForResults | undefined
  /** How many requests may wait in this process, and how many of one account. */
  max?: number
  maxOfAccount?: number
}

const mostWaiters = 1_000
const mostWaitersOfAccount = 10
// Notifications are hints: now and then they are not heard, or not sent.
const lookMs = 1_000

type Place = { accountId: string; after: number; wake(reason: 'results' | 'end'): void }

export function createResultWaiters(options: ResultWaitersOptions): ResultWaiters {
  const { db, listen, max = mostWaiters, maxOfAccount = mostWaitersOfAccount } = options
  const places = new Map<string, Set<Place>>()
  let count = 0
  let notifications: Notifications | undefined
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isEnded = false

  function wake(accountId: string): void {
    for (const place of places.get(accountId) ?? []) place.wake('results')
  }

  /** One statement looks for all who wait. */
  async function look(): Promise<void> {
    const waiting = [...places.values()].flatMap((ofAccount) => [...ofAccount])
    if (isLooking || waiting.length === 0) return
    isLooking = true
    try {
      const account_ids = waiting.map(({ accountId }) => accountId)
      const after = waiting.map((place) => place.after)
      const found = await db.call('api.accounts_with_results', { account_ids, after })
      for (const { account_id } of found) wake(account_id)
    } catch {
      // The next look may succeed.
    } finally {
      isLooking = false
    }
  }

  function startLooking(): void {
    notifications ??= listen?.({ account: wake, listening: look })
    timer ??= setInterval(look, lookMs).unref()
  }

  function add(place: Place): void {
    const ofAccount = places.get(place.accountId) ?? new Set()
    places.set(place.accountId, ofAccount.add(place))
    count += 1
    startLooking()
  }

  function remove(place: Place): void {
    const ofAccount = places.get(place.accountId)
    if (!ofAccount?.delete(place)) return
    count -= 1
    if (ofAccount.size === 0) places.delete(place.accountId)
    if (count > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    enter(accountId, after) {
      if (isEnded || count >= max || (places.get(accountId)?.size ?? 0) >= maxOfAccount) return undefined
      const signal = createSignal()
      const place = { accountId, after, wake: signal.set }
      add(place)
      return { next: signal.next, end: () => signal.set('end'), leave: () => remove(place) }
    },
    async end() {
      isEnded = true
      for (const ofAccount of places.values()) for (const place of ofAccount) place.wake('end')
      await notifications?.end()
    },
  }
}

/** What was set is kept until somebody waits for it, and an end permanently. */
function createSignal() {
  let state: 'results' | 'end' | undefined
  let notice: () => void = () => {}

  return {
    set(reason: 'results' | 'end'): void {
      if (state !== 'end') state = reason
      notice()
    },
    async next(until: number): Promise<'results' | 'time' | 'end'> {
      if (state === undefined) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, until - performance.now()))
          notice = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      const reason = state ?? 'time'
      if (state === 'results') state = undefined
      return reason
    },
  }
}
