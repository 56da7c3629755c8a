import type { Config } from '../../src/config.ts'
import type { TestDatabase } from './database.ts'
import { makeCatalog } from './partner.ts'
import { type ScriptedReceiver, startScriptedReceiver } from './servers/scripted_receiver.ts'
import { type ScriptedSupplier, startScriptedSupplier } from './servers/scripted_supplier.ts'
import { type RunningWorker, startTestWorker } from './whole_service.ts'

export type Deliveries = {
  supplier: ScriptedSupplier
  receiver: ScriptedReceiver
  /** The worker that is stopped in the end; a test may put another in its place. */
  worker: RunningWorker
  close(): Promise<void>
}

/** A worker on a database with the small catalog, a supplier that completes every item, and a receiver. */
export async function startDeliveries(
  database: TestDatabase,
  config: Partial<Config> = {},
  timeoutMs?: number,
): Promise<Deliveries> {
  const supplier = await startScriptedSupplier()
  supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
  const receiver = await startScriptedReceiver()
  await makeCatalog(database.sql, supplier)
  const running: Deliveries = {
    supplier,
    receiver,
    worker: await startTestWorker(database.url, config, { timeoutMs }),
    close: async () => {
      // What still hangs is cut, so that the worker waits for no time-out.
      await Promise.all([supplier.close(), receiver.close()])
      await running.worker.stop()
    },
  }
  return running
}
