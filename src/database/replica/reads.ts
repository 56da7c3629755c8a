import { type Database, isUnavailable } from '../client.ts'
import { type StandbyOptions, watchStandby } from './standby.ts'

/** Where reads go that may be a little late. */
export type Reads = Pick<Database, 'call'> & {
  /** Notes that an account has just written, over the primary: what it reads from now on shows that. */
  noteWrite(accountId: string): void
}

/** All reads from the primary. */
export function readsFrom(primary: Pick<Database, 'call'>): Reads {
  return { call: primary.call, noteWrite: () => {} }
}

/**
 * Reads from a standby, as long as that shows all that was committed `maxStalenessMs` ago, and all that the account wrote
 * by this process; else from the primary. So does what fails on the standby, or what it does not know: a null.
 */
export function createReads(options: StandbyOptions): Reads & { stop(): void } {
  const { primary, standby, maxStalenessMs } = options
  const watch = watchStandby(options)
  const writes = new Map<string, number>()

  function mayServe(account: string | undefined): boolean {
    const written = account === undefined ? undefined : writes.get(account)
    return watch.isFresh() && (written === undefined || written < watch.asOf())
  }

  return {
    async call(name, ...args) {
      const { account_id: account } = (args[0] ?? {}) as { account_id?: string }
      if (!mayServe(account)) return primary.call(name, ...args)
      try {
        const result = await standby.call(name, ...args)
        if (result !== null) return result
      } catch (error) {
        if (isUnavailable(error)) watch.suspect()
      }
      return primary.call(name, ...args)
    },
    noteWrite(accountId) {
      const now = performance.now()
      writes.delete(accountId)
      writes.set(accountId, now)
      // The oldest come first. Every standby that is read from shows them by now.
      for (const [account, at] of writes) {
        if (now - at <= maxStalenessMs) break
        writes.delete(account)
      }
    },
    stop: watch.stop,
  }
}
