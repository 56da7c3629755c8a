import { randomUUID } from 'node:crypto'
import { repeat } from '../repeat.ts'
import { type Database, isUnavailable } from './client.ts'
import { currentFor, type Version } from './version.ts'

/** The source of reads that may be a little late. */
export type Reads = Pick<Database, 'call'> & {
  /** Records that an account has just written on the primary: its later reads show that write. */
  noteWrite(accountId: string): void
}

export type ReadsOptions = {
  primary: Pick<Database, 'call'>
  /** Calls of the standby must give up early enough to be repeated on the primary. */
  standby: Pick<Database, 'call'>
  /** The state of the database that this program was written for. */
  expected: Version
  /** How much older than the primary a read may be, in milliseconds. */
  maxStalenessMs: number
  /**
   * Called when this process begins to use the standby, and when it does not use it or stops; `error` is the cause, if
   * there was one.
   */
  onChange?: ((isUsed: boolean, error: unknown) => void) | undefined
}

const markIntervalMs = 1_000
// A standby that is not fresh after this many marks counts as not used.
const firstMarks = 3

/** Sends all reads to the primary. */
export function readsFrom(primary: Pick<Database, 'call'>): Reads {
  return { call: primary.call, noteWrite: () => {} }
}

/**
 * Reads from a standby as long as it shows everything that was committed `maxStalenessMs` ago, and everything that the
 * account wrote through this process; otherwise from the primary. A call that fails on the standby, or finds nothing
 * there, goes to the primary.
 *
 * Once a second this process commits a mark on the primary: its own clock, in milliseconds. The mark on the standby
 * shows how far the standby is. It is right if clocks differ, while nothing else is written, and after a failover to
 * another timeline; each figure of PostgreSQL is wrong in one of these cases.
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
    marks += 1
    await primary.call('api.set_read_mark', { process_id, mark: now() }).catch(() => {})
    const problem = await readState().catch((error: unknown) => {
      answers = false
      return error
    })
    if (isFresh() === wasUsed || (!isFresh() && marks < firstMarks)) return
    wasUsed = isFresh()
    onChange(wasUsed, problem)
  }

  const stopMarking = repeat(markIntervalMs, mark, { isBackground: true })
  return {
    async call(name, ...args) {
      const { account_id: account } = (args[0] ?? {}) as { account_id?: string }
      if (!mayServe(account)) return primary.call(name, ...args)
      try {
        const result = await standby.call(name, ...args)
        if (result !== null && !(Array.isArray(result) && result.length === 0)) return result
      } catch (error) {
        // The next mark shows whether the standby answers again.
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
    stop: () => void stopMarking(),
  }
}
