import { loadConfig } from '../config.ts'
import { startServer } from '../http/server.ts'
import { createLog } from '../log.ts'
import { expectedVersion } from '../migrate/sql_files.ts'
import { createSite } from '../site/site.ts'
import { startTracing } from '../tracing/start.ts'
import { checkOnceAnswered, connectApi, connectReads, refuseOldDatabase } from './connections.ts'
import { runUntilEnded } from './lifecycle.ts'
import { startSealing } from './sealing.ts'

/** `npm run api`: the partners' HTTP interface alone. */
export async function api(): Promise<void> {
  const config = loadConfig(process.env, { command: 'api' })
  const log = createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  const db = connectApi(config.databaseUrl ?? '', { pooled: config.databasePooled })
  const check = async () => {
    await refuseOldDatabase(() => db.call('api.readiness'))
    await db.call('api.record_public_url', { url: config.publicUrl ?? null })
    await db.call('api.record_time_zone', { zone: config.businessTimeZone })
  }
  const { failed } = await checkOnceAnswered(check, 'api', log)
  const sealing = await startSealing(config, db, 'api', log)
  const reads = connectReads(config, db, log)
  const tracing = await startTracing(config, 'supply-ordering-api', log)
  const { tracer } = tracing
  const [site, expected] = [createSite(config), expectedVersion()]
  const server = await startServer({ db, reads, config, site, log, tracer, sealing, expected })
  await runUntilEnded(log, [failed], [[server.drain], [reads.end, tracing.end], [db.end]], () =>
    console.log(`ready: ${server.url}`),
  )
}
