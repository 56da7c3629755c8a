import type { Database } from '../database/client.ts'

/** The simulated orders of test drives. They are few, and each is settled by itself. */
export function createSimulations(db: Database) {
  return {
    /** Ends what is due of a simulated order, and plans the rest. */
    settle: async (orderId: string): Promise<void> => {
      await db.call('work.settle_simulated_order', { order_id: orderId })
    },
  }
}
