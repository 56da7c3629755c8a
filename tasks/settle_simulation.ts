import type { Task } from 'graphile-worker'
import type { Database } from '../src/database/client.ts'
import { jobId } from '../src/messages/job_id.ts'

/** Makes the task that ends the due items of a simulated order. It calls no supplier: the request named the results. */
export const createSettleSimulation =
  (db: Database): Task =>
  async (payload) => {
    await db.call('work.settle_simulated_order', { order_id: jobId(payload) })
  }
