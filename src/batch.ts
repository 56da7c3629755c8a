import { connectionSurvives, DatabaseDeadline } from './db_errors.ts'

export type BatchOptions<In, Out> = {
  /** Answers many items at once: for each item's place in the list, from 0, its answer. */
  run: (items: In[]) => Promise<Map<number, Out>>
  /** The most items of one run. */
  max?: number
  /** The most runs under way at once. */
  inFlight?: number
  /** How long an item may wait for its run to begin, in milliseconds. */
  waitMs?: number
  /** Is told the size of each run. */
  onRun?: (size: number) => void
}

type Member<In, Out> = {
  item: In
  resolve: (answer: Out) => void
  reject: (error: unknown) => void
  timer: NodeJS.Timeout | undefined
}

/**
 * Coalesces calls: while nothing is under way an item goes at once, alone; what comes meanwhile goes together as soon
 * as a run ends. Nothing lingers to wait for company.
 *
 * The returned function gives the item's own answer, matched by ordinal. It rejects with what the run rejected with;
 * with an Error if the run did not answer exactly the items it was given, for then no answer can be trusted; and with
 * an error for which `isUnavailable` is true if the item waited too long. A run that rejects touches its members only,
 * and where the database refused it, so that nothing of it was done, each of them is tried alone: one that waits for a
 * lock, or fails, does not spoil the others.
 */
export function batch<In, Out>(options: BatchOptions<In, Out>): (item: In) => Promise<Out> {
  const { run, max = 128, inFlight = 1, waitMs = 10_000, onRun } = options
  const waiting = new Set<Member<In, Out>>()
  let running = 0

  function takeWaiting(): Member<In, Out>[] {
    const members: Member<In, Out>[] = []
    for (const member of waiting) {
      if (members.length === max) break
      waiting.delete(member)
      clearTimeout(member.timer)
      members.push(member)
    }
    return members
  }

  async function runBatch(members: Member<In, Out>[]): Promise<void> {
    try {
      onRun?.(members.length)
      const answers = await run(members.map(({ item }) => item))
      assertComplete(answers, members.length)
      for (const [index, member] of members.entries()) member.resolve(answers.get(index) as Out)
    } catch (error) {
      if (members.length > 1 && connectionSurvives(error)) {
        await Promise.all(members.map((member) => runBatch([member])))
      } else {
        for (const member of members) member.reject(error)
      }
    }
  }

  async function runWaiting(): Promise<void> {
    running += 1
    while (waiting.size > 0) {
      await runBatch(takeWaiting())
    }
    running -= 1
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const member: Member<In, Out> = { item, resolve, reject, timer: undefined }
      waiting.add(member)
      if (running < inFlight) return void runWaiting()
      member.timer = setTimeout(() => {
        waiting.delete(member)
        reject(new DatabaseDeadline())
      }, waitMs)
    })
}

/**
 * Rows that carry the ordinals of SQL, from 1, as the answers of a batch, from 0.
 * Throws if two rows answer the same ordinal.
 */
export function byOrdinal<Row extends { ordinal: number }>(rows: readonly Row[]): Map<number, Row> {
  const answers = new Map(rows.map((row) => [row.ordinal - 1, row]))
  if (answers.size !== rows.length) throw new Error('a batch answered an item twice')
  return answers
}

function assertComplete(answers: Map<number, unknown>, size: number): void {
  for (let ordinal = 0; ordinal < size; ordinal += 1) {
    if (!answers.has(ordinal)) throw new Error(`a batch of ${size} left item ${ordinal} without an answer`)
  }
  if (answers.size !== size) throw new Error(`a batch of ${size} gave ${answers.size} answers`)
}
