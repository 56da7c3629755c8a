import { randomUUID } from 'node:crypto'
import { type Database, isUnavailable } from './client.ts'
import { currentFor, type Version } from './version.ts'

/** Where reads go that may be a little late. */
export type Reads = Pick<Database, 'call'> & {
  /** Records that an account has just written, over the primary: its reads from now on show that. */
  noteWrite(accountId: string): void
}

export type ReadsOptions = {
  primary: Pick<Database, 'call'>
  /** Its calls have to give up early enough for the primary to be asked afterwards. */
  standby: Pick<Database, 'call'>
  /** The state of the database that this program was written for. */
  expected: Version
  /** How much older than the primary a read may be, in milliseconds. */
  maxStalenessMs: number
  /**
   * Called when the standby begins to be used, and when it is not used or no longer; `error` says why, if there was
   * one.
   */
  onChange?: ((isUsed: boolean, error: unknown) => void) | undefined
}

const markIntervalMs = 1_000
// A standby that is not fresh after so many marks counts as not used.
const firstMarks = 3

/** All reads from the primary. */
export function readsFrom(primary: Pick<Database, 'call'>): Reads {
  return { call: primary.call, noteWrite: () => {} }
}

/**
 * Reads from a standby, as long as that shows all that was committed `maxStalenessMs` ago, and all that the account
 * wrote by this process; else from the primary. A call that fails on the standby, or finds nothing there, goes to the
 * primary.
 *
 * Once a second this process commits a mark on the primary: its own clock, in milliseconds. The mark that the standby
 * shows says how far it is, however clocks differ, while nothing else is written, and after a failover to another
 * history. Each of a standby's own figures is wrong in one of these cases.
 */
export function createReads(options: ReadsOptions): Reads & { stop(): void } {
  const { primary, standby, maxStalenessMs, onChange = () => {} } = options
  const process_id = randomUUID()
  const isCurrent = currentFor(options.expected)
  const startedAt = performance.now()
  // SQL takes 1 for the first mark of a process.
  const now = () => 1 + Math.floor(performance.now() - startedAt)
  /** When each account wrote, the oldest first. */
  const writes = new Map<string, number>()
  /** The standby shows all that was committed before this time. */
  let asOf = Number.NEGATIVE_INFINITY
  let answers = false
  let marks = 0
  let wasUsed: boolean | undefined
  let isMarking = false

  const isFresh = () => answers && now() - asOf <= maxStalenessMs

  function mayServe(account: string | undefined): boolean {
    const written = account === undefined ? undefined : writes.get(account)
    return isFresh() && (written === undefined || written < asOf)
  }

  async function readState(): Promise<void> {
    const [state] = await standby.call('api.read_state', { process_id })
    asOf = Number(state?.mark ?? Number.NEGATIVE_INFINITY)
    answers = state !== undefined && isCurrent(state)
  }

  async function mark(): Promise<void> {
    if (isMarking) return
    isMarking = true
    marks += 1
    await primary.call('api.set_read_mark', { process_id, mark: now() }).catch(() => {})
    const problem = await readState().catch((error: unknown) => {
      answers = false
      return error
    })
    isMarking = false
    if (isFresh() === wasUsed || (!isFresh() && marks < firstMarks)) return
    wasUsed = isFresh()
    onChange(wasUsed, problem)
  }

  const timer = setInterval(mark, markIntervalMs).unref()
  void mark()
  return {
    async call(name, ...args) {
      const { account_id: account } = (args[0] ?? {}) as { account_id?: string }
      if (!mayServe(account)) return primary.call(name, ...args)
      try {
        const result = await standby.call(name, ...args)
        if (result !== null) return result
      } catch (error) {
        // The next mark says whether it answers again.
        if (isUnavailable(error)) answers = false
      }
      return primary.call(name, ...args)
    },
    noteWrite(accountId) {
      writes.delete(accountId)
      writes.set(accountId, now())
      // Every standby that is read from shows older writes by now.
      for (const [account, at] of writes) {
        if (now() - at <= maxStalenessMs) break
        writes.delete(account)
      }
    },
    stop: () => clearInterval(timer),
  }
}
