import { clock } from '../clock.ts'
import type { Database } from '../database/client.ts'
import { processName } from '../process_name.ts'
import { repeat } from '../repeat.ts'
import type { Recent } from './recent.ts'

const everyMs = 1_000

/**
 * Once a second, compares the clock of this process with the database's, and forgets which clients used up their budget
 * after an operator changed a budget. Returns a function that ends this.
 */
export function startHeartbeat(db: Database, usedUp: Pick<Recent<unknown>, 'clear'>): () => Promise<void> {
  let known: string | undefined
  const beat = () =>
    clock.compare(async () => {
      const [state] = await db.call('api.compare_clock', {
        process_name: processName('api'),
        seconds_ahead: clock.secondsAhead(),
      })
      if (known !== state?.budgets) usedUp.clear()
      known = state?.budgets
      return state?.database_ms ?? null
    })
  // A database that does not answer is reported by the requests.
  return repeat(everyMs, () => beat().catch(() => {}))
}
