import type { Task } from 'graphile-worker'
import { idOf, type Services } from '../src/worker/services.ts'

/**
 * Calls the supplier of one order item, if a call is due: sends the item, or asks how it stands. The claim decides
 * which, and is written before the call; what comes of it is recorded under the claim, which also plans the next call.
 */
export const callSupplier =
  ({ suppliers }: Services): Task =>
  async (payload) => {
    const call = await suppliers.begin(idOf(payload))
    if (call === null) return
    await suppliers.record(call, await suppliers.ask(call))
  }
