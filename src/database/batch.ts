import { createBusyLine } from './batch_busy.ts'
import { createBatchQueue, createPending, type Waiting } from './batch_queue.ts'
import { createRetry, type Retried } from './batch_retry.ts'
import { connectionSurvives, DatabaseDeadline, DatabaseOverloaded } from './errors.ts'
import { createLinger, type LingerOptions } from './linger.ts'

export type BatchOptions<In, Out> = {
  /**
   * Answers many entries at once: for each entry's place in the list, from 0, its answer. It may wait so long for the
   * lock of the first entry's key, and for no other.
   */
  run: (entries: In[], lockWaitMs: number) => Promise<Map<number, Out>>
  /** Whether an answer says that nothing was done, because another transaction has the lock of the entry's key. */
  isBusy?: (answer: Out) => boolean
  /** How much work an entry is, at least 1. Without it, each is 1. */
  weightOf?: (entry: In) => number
  /** Whose an entry is: the keys share the runs. Without it, all entries have one key. */
  keyOf?: (entry: In) => string
  /** The most entries of one run. */
  max?: number
  /** The most weight of one run; an entry that is heavier goes alone. */
  maxWeight?: number
  /** The most weight that may be unanswered at once, */
  maxPending?: number
  /** and of one key. */
  maxPendingOfKey?: number
  /** The most runs under way at once, not counting those of parts that are tried again. */
  inFlight?: number
  /** How a run waits for more entries, where one is under way at a time. Without it, it does not. */
  linger?: LingerOptions<In>
  /** How long an entry may wait for its run to begin, in milliseconds. */
  waitMs?: number
  /** Is told the size of each run. */
  onRun?: (size: number) => void
}

type Member<In, Out> = Waiting &
  Retried & {
    entry: In
    resolve: (answer: Out) => void
    timer?: NodeJS.Timeout
  }

/**
 * Coalesces calls: while nothing is under way an entry goes at the end of the event loop's turn, together with what else
 * came in that turn; what comes meanwhile goes together as soon as a run ends, or a little later (`linger`). A run
 * is bounded by count and by weight, and shared fairly by those who wait.
 *
 * The returned function resolves to the entry's own answer. It rejects with what the run rejected with;
 * with an Error if the run did not answer exactly the entries it was given, because then no answer can be trusted; and with
 * an error for which `isUnavailable` is true if the entry waited too long, or at once if too much is pending. A run that
 * rejects touches its members only, and where the database refused it, so that nothing of it was done, its parts are
 * tried again beside the next runs: one that waits for a lock, or fails, does not spoil the others. An entry whose key is
 * busy is run again beside the next runs, too, and with it what comes for that key meanwhile; it rejects with an error
 * for which `isUnavailable` is true if the key stays busy.
 */
export function batch<In, Out>(options: BatchOptions<In, Out>): (entry: In) => Promise<Out> {
  const { run, weightOf = () => 1, keyOf = () => '', inFlight = 1, waitMs = 10_000, onRun } = options
  const { max = 128, maxWeight = max, maxPending = 10_000, maxPendingOfKey = maxPending } = options
  const { isBusy = () => false } = options
  const lingering = options.linger && createLinger(options.linger)
  const waiting = createBatchQueue<Member<In, Out>>()
  const pending = createPending(maxPending, maxPendingOfKey)
  const retry = createRetry(runAtOnce)
  const busyLine = createBusyLine({ run: runTogether, max, maxWeight })
  let running = 0

  async function runAtOnce(members: Member<In, Out>[]): Promise<void> {
    busyLine.add(await runTogether(members, 0))
  }

  async function runTogether(members: Member<In, Out>[], lockWaitMs: number): Promise<Member<In, Out>[]> {
    const began = performance.now()
    const busy: Member<In, Out>[] = []
    try {
      onRun?.(members.length)
      const answers = await run(
        members.map(({ entry }) => entry),
        lockWaitMs,
      )
      assertComplete(answers, members.length)
      for (const [index, member] of members.entries()) {
        const answer = answers.get(index) as Out
        if (isBusy(answer)) busy.push(member)
        else member.resolve(answer)
      }
    } catch (error) {
      if (members.length > 1 && connectionSurvives(error)) retry(members, performance.now() - began)
      else for (const { reject } of members) reject(error)
    }
    return busy
  }

  async function runWaiting(): Promise<void> {
    running += 1
    // Many calls come out of one event, as the answer that let their requests in: the first of them does not go alone.
    await new Promise((resolve) => setImmediate(resolve))
    while (!waiting.isEmpty) {
      lingering?.begin()
      const members = waiting.take(max, maxWeight)
      for (const { timer } of members) clearTimeout(timer)
      await runAtOnce(members)
      await lingering?.linger(members.length, waiting.size)
    }
    running -= 1
  }

  function wait(member: Member<In, Out>): void {
    if (busyLine.has(member.key)) return void busyLine.add([member])
    waiting.add(member)
    lingering?.arrive(member.entry, waiting.size)
    if (running < inFlight) {
      void runWaiting()
      // What comes to a batch at rest is the first to be taken.
      if (running === 1) return
    }
    member.timer = setTimeout(() => {
      waiting.remove(member)
      member.reject(new DatabaseDeadline())
    }, waitMs)
  }

  return async (entry) => {
    const key = keyOf(entry)
    const weight = weightOf(entry)
    if (!pending.add(key, weight)) throw new DatabaseOverloaded()
    try {
      return await new Promise((resolve, reject) => {
        wait({ entry, key, weight, deadline: performance.now() + waitMs, resolve, reject })
      })
    } finally {
      pending.remove(key, weight)
    }
  }
}

function assertComplete(answers: Map<number, unknown>, size: number): void {
  for (let ordinal = 0; ordinal < size; ordinal += 1) {
    if (!answers.has(ordinal)) throw new Error(`a batch of ${size} left entry ${ordinal} without an answer`)
  }
  if (answers.size !== size) throw new Error(`a batch of ${size} has ${answers.size} answers`)
}
