import { batch } from '../../database/batch.ts'
import { callNumbered } from '../../database/batch_call.ts'
import type { Database, Functions } from '../../database/client.ts'
import { databaseTimeMs } from '../database_time.ts'
import type { HttpMetrics } from '../metrics.ts'
import type { SqlRequest } from './order_requests.ts'

type Placed = Functions['api.place_orders']['result'][number]
export type PlaceOrder = (request: SqlRequest) => Promise<Placed>

// Of all orders together. More than is pending at most would not be placed within the time that a request has.
const maxBatchItems = 256
const maxPendingItems = 10_000
const maxPendingItemsOfAccount = 2_500
// An order that meets a lock gives up before its request does, and is not placed then.
const placeWithinMs = databaseTimeMs - 500

/**
 * Orders that arrive while others are being placed are placed together: one transaction, one commit. The accounts share
 * the batches, so that one with many or heavy orders does not keep the others waiting; nor does one whose lock another
 * transaction has. An order waits for its batch at most `waitMs`.
 */
export function placeInBatches(
  db: Pick<Database, 'call'>,
  metrics: Pick<HttpMetrics, 'batch'>,
  waitMs = placeWithinMs,
): PlaceOrder {
  return batch<SqlRequest, Placed>({
    run: (requests) => callNumbered(requests, (numbered) => db.call('api.place_orders', { requests: numbered })),
    isBusy: ({ result }) => result === 'busy',
    weightOf: ({ items }) => items?.length ?? 1,
    keyOf: ({ account_id }) => String(account_id),
    maxWeight: maxBatchItems,
    maxPending: maxPendingItems,
    maxPendingOfKey: maxPendingItemsOfAccount,
    onRun: (size) => metrics.batch('place_orders', size),
    waitMs,
  })
}
