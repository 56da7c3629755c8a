import { setTimeout as sleep } from 'node:timers/promises'
import { createBatchQueue } from '../database/batch_queue.ts'
import { isUnavailable } from '../database/client.ts'

export type BusyResultsOptions<Result, Row> = {
  /** Records results; waits so long for the locks of the first one, and not for the rest. */
  record: (results: Result[], lockWaitMs: number) => Promise<Map<number, Row>>
  /** Is told what came of each result that was recorded. */
  onRecorded: (row: Row) => void
  /** How much work a result is; without it, each is 1. */
  weightOf?: (result: Result) => number
  /** The most weight of one statement. */
  maxWeight?: number
}

const most = 1_000
const atOnce = 128
const lockWaitMs = 50
const longestPauseMs = 500
const mostFailures = 20

/**
 * Keeps results that cannot be recorded now, because another transaction has the lock of a row, and records them when
 * that is free: their jobs are done, so that they hold up no other. Nothing is lost if the process ends before: when the
 * lease has ended, another worker looks. For the same reason what would be too many is dropped.
 */
export function createBusyResults<Result, Row extends { verdict: string }>(
  options: BusyResultsOptions<Result, Row>,
) {
  const { record, onRecorded, weightOf = () => 1, maxWeight = atOnce } = options
  const queue = createBatchQueue<{ key: string; weight: number; result: Result }>()
  let count = 0
  let running = false
  // Of runs, one after the other: the database is away.
  let failures = 0

  async function run(): Promise<void> {
    running = true
    for (let pause = 0; count > 0; ) {
      await sleep(pause, undefined, { ref: false })
      const members = queue.take(atOnce, maxWeight)
      count -= members.length
      const rows = await recordAll(members.map(({ result }) => result))
      if (rows === undefined) continue
      const busy = members.filter((_, place) => settle(rows, place) === 'busy')
      // The first goes to the end: the next run waits for another.
      for (const member of [...busy.slice(1), ...busy.slice(0, 1)]) keep(member)
      pause = busy.length === 0 ? 0 : Math.min(longestPauseMs, 2 * pause + 25)
    }
    running = false
  }

  /** Undefined if the results are to be dropped, without rows while the database is away. */
  async function recordAll(results: Result[]): Promise<Map<number, Row> | undefined> {
    try {
      const rows = await record(results, lockWaitMs)
      failures = 0
      return rows
    } catch (error) {
      failures += 1
      return isUnavailable(error) && failures < mostFailures ? new Map() : undefined
    }
  }

  function settle(rows: Map<number, Row>, place: number): string {
    const row = rows.get(place)
    if (row === undefined) return 'busy'
    if (row.verdict !== 'busy') onRecorded(row)
    return row.verdict
  }

  function keep(member: { key: string; weight: number; result: Result }): void {
    queue.add(member)
    count += 1
  }

  return {
    add(result: Result): void {
      if (count >= most) return
      keep({ key: '', weight: weightOf(result), result })
      if (!running) void run()
    },
  }
}
