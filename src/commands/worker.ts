import { loadConfig } from '../config.ts'
import { hostsOf } from '../database/connections/hosts.ts'
import { createLog } from '../log.ts'
import { startTracing } from '../tracing/start.ts'
import { startWorker } from '../worker/index.ts'
import { connectWorker, refuseOldDatabase } from './connections.ts'
import { runUntilEnded } from './lifecycle.ts'
import { startSealing } from './sealing.ts'

const hostWaitMs = 60_000

/** `npm run worker`: dispatches to suppliers, delivers webhooks, alerts operators. */
export async function worker(): Promise<void> {
  const config = loadConfig(process.env, { command: 'worker' })
  const log = createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  const db = connectWorker(config.databaseUrl ?? '', { pooled: config.databasePooled })
  // A worker that lost its database is restarted while another server takes over.
  await hostsOf(config.databaseDirectUrl ?? '').wait(hostWaitMs, ({ message }) => log.warn(message))
  await refuseOldDatabase(() => db.call('work.readiness'))
  const sealing = await startSealing(config, db, 'work', log)
  const tracing = await startTracing(config, 'supply-ordering-worker', log)
  const { tracer } = tracing
  const running = await startWorker({ databaseUrl: config.databaseDirectUrl ?? '', db, config, log, tracer, sealing })
  await runUntilEnded(log, [running.failed], [[running.stop], [tracing.end, db.end]], () => log.info('the worker runs'))
}
