import { loadConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { startWorker } from '../worker/index.ts'
import { connectWorker } from './connections.ts'
import { runUntilEnded } from './lifecycle.ts'

/** `npm run worker`: dispatches to suppliers, delivers webhooks, alerts operators. */
export async function worker(): Promise<void> {
  const config = loadConfig(process.env, { command: 'worker' })
  const log = createLog(config.logLevel)
  const databaseUrl = config.databaseUrl ?? ''
  const db = connectWorker(databaseUrl)
  const running = await startWorker({ databaseUrl, db, config, log })
  await runUntilEnded(log, [running.failed], [[running.stop], [db.end]], () => log.info('the worker runs'))
}
