import { type BatchOptions, batch } from './batch.ts'
import { callNumbered } from './batch_call.ts'

/** What was recorded of the result at this place, from 1. `busy`: nothing, because another transaction has a lock. */
type Answer = { ordinal: number; verdict: string }
type Entry<Result> = { result: Result; onBusy: () => void }
type Options<Result> = Pick<BatchOptions<Result, Answer>, 'weightOf' | 'maxWeight' | 'maxPending'> & {
  run: (results: (Result & { ordinal: number })[]) => Promise<readonly Answer[]>
  keyOf: (result: Result) => string
  onRecorded: (verdict: string) => void
}

// After this time the result's lease has ended, or ends soon.
const waitMs = 30_000

/**
 * Records the results of calls or deliveries in batches. The returned function resolves to the verdict, or to null as
 * soon as another transaction has a lock that the result needs: the job ends and delays no other, while the batch
 * retries. A result that cannot be recorded before its deadline is dropped: its lease recovers it.
 */
export function recordResults<Result extends object>(
  options: Options<Result>,
): (result: Result) => Promise<string | null> {
  const { run, keyOf, weightOf = () => 1, onRecorded, ...limits } = options
  const isBusy = ({ verdict }: Answer) => verdict === 'busy'
  const record = batch<Entry<Result>, Answer>({
    ...limits,
    run: async (entries) => {
      const answers = await callNumbered(
        entries.map(({ result }) => result),
        run,
      )
      for (const [place, answer] of answers.entries()) if (isBusy(answer)) entries[place]?.onBusy()
      return answers
    },
    isBusy,
    keyOf: ({ result }) => keyOf(result),
    weightOf: ({ result }) => weightOf(result),
    waitMs,
    maxRetries: Number.POSITIVE_INFINITY,
  })
  return (result) =>
    new Promise((resolve, reject) => {
      record({ result, onBusy: () => resolve(null) }).then(({ verdict }) => {
        resolve(verdict)
        onRecorded(verdict)
      }, reject)
    })
}
