import { type BatchOptions, batch } from '../database/batch.ts'

type Entry<Result> = { result: Result; onBusy: () => void }
type Options<Result, Row> = Required<Pick<BatchOptions<Result, Row>, 'run' | 'keyOf'>> &
  Pick<BatchOptions<Result, Row>, 'weightOf' | 'maxWeight' | 'maxPending'> & {
    onRecorded: (row: Row) => void
  }

// By then the result's lease has ended, or ends soon.
const waitMs = 30_000

/**
 * Records the results of calls or deliveries. The returned function resolves to the verdict, or to `busy` as soon as
 * another transaction has a lock that the result needs: the job ends and holds up no other, and the batch goes on trying.
 * A result that cannot be recorded before its deadline is dropped: its lease recovers it.
 */
export function recordInBatches<Result, Row extends { verdict: string }>(
  options: Options<Result, Row>,
): (result: Result) => Promise<string> {
  const { run, keyOf, weightOf = () => 1, onRecorded, ...limits } = options
  const isBusy = ({ verdict }: Row) => verdict === 'busy'
  const record = batch<Entry<Result>, Row>({
    ...limits,
    run: async (entries) => {
      const rows = await run(entries.map(({ result }) => result))
      for (const [place, row] of rows) if (isBusy(row)) entries[place]?.onBusy()
      return rows
    },
    isBusy,
    keyOf: ({ result }) => keyOf(result),
    weightOf: ({ result }) => weightOf(result),
    waitMs,
    maxRetries: Number.POSITIVE_INFINITY,
  })
  return (result) => {
    const busy = Promise.withResolvers<string>()
    const recorded = record({ result, onBusy: () => busy.resolve('busy') }).then((row) => {
      onRecorded(row)
      return row.verdict
    })
    return Promise.race([recorded, busy.promise])
  }
}
