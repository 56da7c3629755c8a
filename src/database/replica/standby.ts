import { randomUUID } from 'node:crypto'
import type { Database } from '../client.ts'
import { currentFor, type Version } from '../version.ts'

export type StandbyOptions = {
  primary: Pick<Database, 'call'>
  /** Its calls have to give up early enough for the primary to be asked afterwards. */
  standby: Pick<Database, 'call'>
  /** The state of the database that this program was written for. */
  expected: Version
  /** How much older than the primary what is read may be, in milliseconds. */
  maxStalenessMs: number
  /** Called when the standby begins to be used, and when it does not or no longer; `error` is why, if there was one. */
  onChange?: ((isUsed: boolean, error: unknown) => void) | undefined
}

/** What is known of a standby. */
export type StandbyWatch = {
  /** It answers, has our migrations, and shows all that was committed `maxStalenessMs` ago. */
  isFresh(): boolean
  /** It shows all that was committed before this time of `performance.now()`. */
  asOf(): number
  /** Notes that it did not answer: it is not fresh before it has answered the next look. */
  suspect(): void
  stop(): void
}

const lookMs = 1_000
/** So many looks a standby has at the start before it counts as one that is not used. */
const firstLooks = 3

/**
 * Watches how far a standby is. Once a second this process commits a mark on the primary and looks which one the standby
 * shows. That is right however clocks differ, also while nothing else is written, and also for a standby that was left
 * behind on another history by a failover: each of the standby's own figures fails in one of these.
 */
export function watchStandby(options: StandbyOptions): StandbyWatch {
  const { primary, standby, maxStalenessMs, onChange = () => {} } = options
  const processId = randomUUID()
  const isCurrent = currentFor(options.expected)
  let marks: { mark: number; at: number }[] = []
  let lastMark = 0
  let asOf = Number.NEGATIVE_INFINITY
  let answers = false
  let wasUsed: boolean | undefined
  let isLooking = false

  const isFresh = () => answers && performance.now() - asOf <= maxStalenessMs

  async function setMark(): Promise<void> {
    const at = performance.now()
    lastMark += 1
    const mark = lastMark
    await primary.call('api.set_read_mark', { process_id: processId, mark })
    marks.push({ mark, at })
  }

  async function look(): Promise<void> {
    const [state] = await standby.call('api.read_state', { process_id: processId })
    marks = marks.filter(({ at }) => performance.now() - at <= maxStalenessMs)
    // It can be less than before: another standby may have come in the place of this one.
    const shown = Number(state?.mark ?? 0)
    asOf = marks.findLast(({ mark }) => mark <= shown)?.at ?? Number.NEGATIVE_INFINITY
    answers = state !== undefined && isCurrent(state)
  }

  async function markAndLook(): Promise<void> {
    if (isLooking) return
    isLooking = true
    // A mark that failed counts as none, also where the standby will show it.
    await setMark().catch(() => {})
    const problem = await look().catch((error: unknown) => {
      answers = false
      return error
    })
    isLooking = false
    if (isFresh() === wasUsed || (!isFresh() && lastMark < firstLooks)) return
    wasUsed = isFresh()
    onChange(wasUsed, problem)
  }

  const timer = setInterval(markAndLook, lookMs)
  timer.unref()
  markAndLook()
  return {
    isFresh,
    asOf: () => asOf,
    suspect: () => {
      answers = false
    },
    stop: () => clearInterval(timer),
  }
}
