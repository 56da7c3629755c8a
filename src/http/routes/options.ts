import type { Config } from '../../config.ts'
import type { Database } from '../../database/client.ts'
import type { Reads } from '../../database/reads.ts'
import type { Version } from '../../database/version.ts'
import type { Network } from '../../network/networks.ts'
import type { Sealing } from '../../sealing/sealing.ts'
import type { AccountTurns } from '../account_turns.ts'
import type { HttpMetrics } from '../metrics.ts'
import type { Admission } from '../middleware/admission.ts'
import type { ResultWaiters } from './result_waiters.ts'

/** `draining`: the process is about to end. It is not ready then, but it still serves requests. */
export type Lifecycle = { draining: boolean }

/** The dependencies of the routes. */
export type RouteOptions = {
  db: Database
  /** For what may be read from a standby. */
  reads: Reads
  /** The state of the database that this program was written for. */
  expected: Version
  turns: AccountTurns
  /** One at a time for each account: changes that wait for a lock of the account keep their connection meanwhile. */
  changeTurns: AccountTurns
  resultWaiters: ResultWaiters
  /** Opens codes, tokens and secrets, and seals what suppliers push. */
  sealing: Sealing
  /** Networks that are opened for callbacks. */
  allowNetworks: readonly Network[]
  config: Pick<Config, 'supplierCredential' | 'supplierHosts' | 'production' | 'webhookSourceAddresses'>
  admission: Admission
  metrics: HttpMetrics
  lifecycle: Lifecycle
}
