import type { Task } from 'graphile-worker'
import { idOf, type Services } from '../src/worker/services.ts'

/**
 * Calls the supplier of one order item, if a call is due: sends the item, or asks for its status. The lease says which;
 * it is written before the call. The result is recorded under the lease, and that also plans the next call.
 */
export const callSupplier =
  ({ suppliers, perform }: Services): Task =>
  async (payload) => {
    const call = await suppliers.begin(idOf(payload))
    if (call !== null) await perform.call(suppliers, call)
  }
