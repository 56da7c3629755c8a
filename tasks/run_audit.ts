import type { Task } from 'graphile-worker'
import type { Database } from '../src/database/client.ts'

/**
 * Makes the task that checks the invariants of money and queue (`ops.audit`), and alerts operators of each violation.
 */
export const createRunAudit =
  (db: Database): Task =>
  async () => {
    await db.call('work.run_audit')
  }
