import { createBatchQueue, createPending, type Waiting } from './batch_queue.ts'
import { DatabaseDeadline, DatabaseEnded, DatabaseOverloaded, isUnavailable } from './errors.ts'

export type BatchOptions<In, Out> = {
  /** Answers many entries at once, in their order. */
  run: (entries: In[]) => Promise<readonly Out[]>
  /** Whether an answer says that nothing was done, because another transaction has a lock that the entry needs. */
  isBusy?: (answer: Out) => boolean
  /** How much work an entry is, at least 1. Without it, each is 1. */
  weightOf?: (entry: In) => number
  /**
   * The key of an entry. Keys share the runs equally, and a busy key delays no other. Without it, all have one key.
   */
  keyOf?: (entry: In) => string
  /** The most entries of one run. */
  max?: number
  /** The most weight of one run; an entry that is heavier goes alone. */
  maxWeight?: number
  /** The most weight that may be unanswered at once. */
  maxPending?: number
  /** The most weight of one key that may be unanswered at once. */
  maxPendingOfKey?: number
  /** The most runs under way at once. */
  inFlight?: number
  /** After a run of several entries began, the next one waits this many milliseconds. */
  delayMs?: number
  /** The next run does not wait once this many entries have arrived. */
  maxDelayed?: number
  /** The deadline of an entry, in milliseconds: no run of it begins later. */
  waitMs?: number
  /** How often an entry is tried again after the database was unavailable. Without it, once. */
  maxRetries?: number
  /** Receives the size of each run. */
  onRun?: (size: number) => void
}

type Member<In, Out> = Waiting & {
  entry: In
  deadline: number
  retries: number
  timer?: NodeJS.Timeout
  resolve: (answer: Out) => void
  reject: (error: unknown) => void
}

// A batch of another process has a lock for a few milliseconds. The pause is random, so that two batches do not collide
// repeatedly.
const [minPauseMs, maxPauseMs] = [10, 40]

/**
 * Coalesces calls. An idle batch starts at the end of the current event-loop iteration, with all entries that arrived
 * in it; entries that arrive during a run go together in the next one. A run is bounded by count and by weight, and the
 * keys share it.
 *
 * The returned function resolves to the entry's own answer. An entry that is answered `busy`, or whose run failed
 * because the database was unavailable, goes back to the queue, and its key pauses briefly. Any other error rejects all
 * entries of the run, and so does a run with more or fewer answers than entries. An entry whose deadline
 * passes, or for which too much is pending, rejects with an error for which `isUnavailable` is true.
 *
 * Batched calls are safe to repeat: orders have idempotency keys, the first record of a result ends its lease, a lease
 * is taken once, and a request may count twice against its limit.
 */
export function batch<In, Out>(options: BatchOptions<In, Out>): (entry: In) => Promise<Out> {
  const { run, isBusy = () => false, onRun } = options
  const { weightOf = () => 1, keyOf = () => '', inFlight = 1 } = options
  const { delayMs = 0, maxDelayed = Number.POSITIVE_INFINITY } = options
  const { waitMs = 10_000, maxRetries = 1 } = options
  const { max = 128, maxWeight = max, maxPending = 10_000, maxPendingOfKey = maxPending } = options
  const waiting = createBatchQueue<Member<In, Out>>()
  const pending = createPending(maxPending, maxPendingOfKey)
  let running = 0
  let willResume = false
  // The entries that arrived since the last run began.
  let arrived = 0
  let endDelay = () => {}

  function start(): void {
    if (running < inFlight && !waiting.isEmpty) void runWaiting()
  }

  async function runWaiting(): Promise<void> {
    running += 1
    // One event, such as an answer that admits several requests, can cause many calls. The first call waits for the
    // others.
    await new Promise((resolve) => setImmediate(resolve))
    while (!waiting.isEmpty) {
      const nextAt = performance.now() + delayMs
      arrived = 0
      const members = waiting.take(max, maxWeight)
      for (const { timer } of members) clearTimeout(timer)
      await runMembers(members)
      if (members.length > 1 && arrived < maxDelayed) await delayUntil(nextAt)
    }
    running -= 1
  }

  async function delayUntil(at: number): Promise<void> {
    const leftMs = at - performance.now()
    if (leftMs <= 0) return
    await new Promise<void>((resolve) => {
      endDelay = resolve
      setTimeout(resolve, leftMs)
    })
  }

  async function runMembers(members: Member<In, Out>[]): Promise<void> {
    const again: Member<In, Out>[] = []
    try {
      onRun?.(members.length)
      const answers = await run(members.map(({ entry }) => entry))
      if (answers.length !== members.length)
        throw new Error(`a batch of ${members.length} has ${answers.length} answers`)
      for (const [place, member] of members.entries()) {
        const answer = answers[place] as Out
        if (isBusy(answer)) again.push(member)
        else member.resolve(answer)
      }
    } catch (error) {
      const mayPass = isUnavailable(error) && !(error instanceof DatabaseEnded)
      for (const member of members) {
        member.retries += 1
        if (mayPass && member.retries <= maxRetries) again.push(member)
        else member.reject(error)
      }
    }
    queueAgain(again)
  }

  function queueAgain(members: Member<In, Out>[]): void {
    if (members.length === 0) return
    for (const member of members) expireInTime(member)
    waiting.pause(members)
    if (willResume) return
    willResume = true
    setTimeout(resume, minPauseMs + Math.random() * (maxPauseMs - minPauseMs))
  }

  function resume(): void {
    willResume = false
    waiting.resume()
    start()
  }

  function expireInTime(member: Member<In, Out>): void {
    member.timer = setTimeout(
      () => {
        waiting.remove(member)
        member.reject(new DatabaseDeadline())
      },
      Math.max(0, member.deadline - performance.now()),
    )
  }

  return async (entry) => {
    const key = keyOf(entry)
    const weight = weightOf(entry)
    if (!pending.add(key, weight)) throw new DatabaseOverloaded()
    try {
      return await new Promise((resolve, reject) => {
        const member = { entry, key, weight, deadline: performance.now() + waitMs, retries: 0, resolve, reject }
        expireInTime(member)
        waiting.add(member)
        arrived += 1
        if (arrived >= maxDelayed) endDelay()
        start()
      })
    } finally {
      pending.remove(key, weight)
    }
  }
}
