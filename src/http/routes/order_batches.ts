import { batch } from '../../database/batch.ts'
import { callNumbered } from '../../database/batch_call.ts'
import type { Database, Functions } from '../../database/client.ts'
import type { RequestState } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import type { HttpMetrics } from '../metrics.ts'
import type { OrderRequest } from '../schemas.ts'

/** An order request as SQL takes it, without its ordinal. */
export type PlaceRequest = OrderRequest &
  Pick<RequestState, 'requestId' | 'requestIdGiven' | 'traceparent'> & {
    accountId: string
    keyId: string
    idempotencyKey: string
    /** Why the callbackUrl is refused; SQL says so unless the request is a repeat. */
    callbackError: string | null
  }
export type Placed = Functions['api.place_orders']['result'][number]
export type PlaceOrder = (request: PlaceRequest) => Promise<Placed>

// In items of orders. More than is pending at most would not be placed within the time that a request has.
const mostOfBatch = 256
const mostPending = 10_000
const mostPendingOfAccount = 2_500
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
  return batch<PlaceRequest, Placed>({
    run: (requests) =>
      callNumbered(requests, (numbered) => db.call('api.place_orders', { requests: numbered })),
    isBusy: ({ result }) => result === 'busy',
    weightOf: ({ items }) => items.length,
    keyOf: ({ accountId }) => accountId,
    maxWeight: mostOfBatch,
    maxPending: mostPending,
    maxPendingOfKey: mostPendingOfAccount,
    onRun: (size) => metrics.batch('place_orders', size),
    waitMs,
  })
}
