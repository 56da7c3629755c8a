import { type BatchOptions, batch } from './batch.ts'
import { callNumbered } from './batch_call.ts'

/** A row of a function that records results: one with an ordinal answers the result at that place, from 1. */
type Row = { ordinal: number | null; verdict: string | null }
type Answer<R extends Row> = R & { ordinal: number; verdict: string }
type Entry<Result> = { result: Result; onBusy: () => void }
type Options<Result, R extends Row> = Pick<BatchOptions<Result, R>, 'weightOf' | 'maxWeight' | 'maxPending'> & {
  run: (results: (Result & { ordinal: number })[]) => Promise<readonly R[]>
  keyOf: (result: Result) => string
  onRecorded: (answer: Answer<R>) => void
}

// After this time the result's lease has ended, or ends soon.
const waitMs = 30_000

/**
 * Records the results of calls or deliveries in batches. The returned function resolves to the verdict, or to `busy` as
 * soon as another transaction has a lock that the result needs: the job ends and delays no other, and the batch
 * retries. A result that cannot be recorded before its deadline is dropped: its lease recovers it.
 */
export function recordResults<Result extends object, R extends Row>(
  options: Options<Result, R>,
): (result: Result) => Promise<{ verdict: string }> {
  const { run, keyOf, weightOf = () => 1, onRecorded, ...limits } = options
  const isBusy = ({ verdict }: { verdict: string }) => verdict === 'busy'
  const record = batch<Entry<Result>, Answer<R>>({
    ...limits,
    run: async (entries) => {
      const results = entries.map(({ result }) => result)
      const answers = await callNumbered(results, async (numbered) => (await run(numbered)).filter(isAnswer))
      for (const [place, answer] of answers.entries()) if (isBusy(answer)) entries[place]?.onBusy()
      return answers
    },
    isBusy,
    keyOf: ({ result }) => keyOf(result),
    weightOf: ({ result }) => weightOf(result),
    waitMs,
    maxRetries: Number.POSITIVE_INFINITY,
  })
  return (result) => {
    const busy = Promise.withResolvers<{ verdict: string }>()
    const recorded = record({ result, onBusy: () => busy.resolve({ verdict: 'busy' }) })
    recorded.then(onRecorded, () => {})
    return Promise.race([recorded, busy.promise])
  }
}

function isAnswer<R extends Row>(row: R): row is Answer<R> {
  return row.ordinal !== null
}
