import { existsSync, rmSync } from 'node:fs'
import { type Config, loadConfig } from '../config.ts'
import { startSimulator } from '../demo/supplier/simulator.ts'
import { type Claim, claimServer } from '../embedded_postgres/claim.ts'
import { writeSecretFile } from '../embedded_postgres/data.ts'
import { type EmbeddedPostgres, startPostgres } from '../embedded_postgres/start.ts'
import { startServer } from '../http/server.ts'
import { createLog, type Log } from '../log.ts'
import { migrate } from '../migrate/migrate.ts'
import { expectedVersion } from '../migrate/sql_files.ts'
import { createSite } from '../site/site.ts'
import { startTracing } from '../tracing/start.ts'
import { startWorker } from '../worker/index.ts'
import { connectApi, connectReads, connectWorker } from './connections.ts'
import { dataDir, demoDocsPassword, demoGreeting, loadDemo } from './demo_data.ts'
import { endOnSecondInterrupt, heedSignals, runUntilEnded } from './lifecycle.ts'
import { newOperatorLogin, operatorUrlFile, serviceFile, serviceFileText } from './operator_login.ts'
import { startSealing } from './sealing.ts'
import { openTerminal, type Terminal } from './terminal.ts'

/**
 * `npm start`: the whole service in one process. Without DATABASE_URL it runs a PostgreSQL of its own under `.data/`,
 * with the demo partner, the demo catalog and a simulated supplier.
 */
export async function start(): Promise<void> {
  const given = loadConfig(process.env, { command: 'start', onTerminal: process.stdout.isTTY })
  const terminal = given.production ? undefined : openTerminal(given.logLevel)
  const lines = createLog(given.logLevel, terminal?.log)
  for (const warning of given.warnings) lines.warn(warning)
  const config = {
    ...given,
    docsPassword: given.docsPassword ?? (given.seedDemo && !given.production ? demoDocsPassword() : undefined),
  }
  if (terminal !== undefined) endOnSecondInterrupt()
  const postgres = config.databaseUrl === undefined ? await startEmbedded() : undefined
  if (postgres !== undefined) endWith(postgres, lines)
  const log = postgres === undefined ? lines : createLog(given.logLevel, withoutEchoes(postgres, terminal?.log))
  try {
    // Not through a pooler: one login cannot have the roles of both the API and the worker.
    const databaseUrl = config.databaseDirectUrl ?? postgres?.url ?? ''
    await serve({ config, log, databaseUrl, postgres, terminal })
  } catch (error) {
    if (postgres !== undefined) await stopEmbedded(postgres)
    throw error
  }
}

/** The embedded database, which this process alone may serve on. */
type Embedded = EmbeddedPostgres & { claim: Claim }

async function startEmbedded(): Promise<Embedded> {
  heedSignals()
  const postgres = await startPostgres({ dataDir, durable: true, database: 'supply' })
  if (postgres.relocated) console.log(`the database lies under ${postgres.dataDir}`)
  try {
    return { ...postgres, claim: await claimServer(postgres.url, dataDir) }
  } catch (error) {
    // Goes on running where another process serves on it.
    await postgres.stop()
    throw error
  }
}

/** Ends this process with one line when its database ends: nothing that is under way can be recorded any more. */
function endWith(postgres: Embedded, log: Log): void {
  void postgres.ended.then((reason) => {
    log.error(reason)
    for (const file of [postgres.urlFile, operatorUrlFile, serviceFile]) rmSync(file, { force: true })
    process.exit(1)
  })
}

// pino's number of this level; those of errors are larger.
const warning = 40

/** The destination of a log whose warnings and errors say only what follows from it, once the database ends. */
function withoutEchoes(postgres: Embedded, lines: { write(line: string): void } = process.stdout) {
  return {
    // With this, pino sets the level of each line before it writes it.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      if (this.lastLevel >= warning && postgres.isEnding()) return
      lines.write(line)
    },
  }
}

async function stopEmbedded(postgres: Embedded): Promise<void> {
  await postgres.claim.release()
  await postgres.stop()
  // It stays up where another start runs on it.
  if (!existsSync(postgres.urlFile)) for (const file of [operatorUrlFile, serviceFile]) rmSync(file, { force: true })
}

type Serving = {
  config: Config
  log: Log
  databaseUrl: string
  postgres: Embedded | undefined
  /** Where orders' stories are printed; undefined where standard output is no terminal, and in production. */
  terminal: Terminal | undefined
}

async function serve({ config, log, databaseUrl, postgres, terminal }: Serving) {
  const operator = postgres && newOperatorLogin(postgres.url)
  const migrating = terminal?.progress('migrating the database')
  await migrate({
    databaseUrl,
    logins: { operator: operator?.password },
    log: migrating?.step ?? ((line) => console.log(line)),
  })
  migrating?.done()
  if (operator !== undefined) {
    writeSecretFile(operatorUrlFile, operator.url)
    writeSecretFile(serviceFile, serviceFileText({ operator: operator.url, owner: databaseUrl }))
  }
  const apiDb = connectApi(databaseUrl)
  await apiDb.call('api.record_public_url', { url: config.publicUrl ?? null })
  await apiDb.call('api.record_time_zone', { zone: config.businessTimeZone })
  const reads = connectReads({ ...config, databasePooled: false }, apiDb, log)
  const workerDb = connectWorker(databaseUrl)
  const sealing = await startSealing(config, workerDb, 'work', log)
  // The server starts first: if its port is taken, another service runs here, and the demo must not change its
  // suppliers.
  const stories = terminal?.tellStories(operator?.url ?? databaseUrl)
  const db = stories?.watched(apiDb) ?? apiDb
  const tracing = await startTracing(config, 'supply-ordering', log)
  const { tracer } = tracing
  const [site, expected] = [createSite(config), expectedVersion()]
  const server = await startServer({ db, reads, config, site, log, tracer, sealing, expected })
  const demo = config.seedDemo ? await startDemo(operator?.url ?? databaseUrl, config.dataKeys) : undefined
  const worker = await startWorker({ databaseUrl, db: workerDb, config, log, tracer, sealing })
  await postgres?.claim.showAddress(server.url)
  await runUntilEnded(
    log,
    [worker.failed],
    [
      [server.drain, worker.stop],
      [async () => stories?.stop()],
      [reads.end, apiDb.end, workerDb.end, tracing.end],
      [async () => demo?.simulator.close()],
      [async () => postgres && stopEmbedded(postgres)],
    ],
    () => announce(server.url, demo && { ...demo, docsPassword: config.docsPassword }, postgres),
  )
}

async function startDemo(databaseUrl: string, dataKeys: Config['dataKeys']) {
  const simulator = await startSimulator()
  return { simulator, apiKey: await loadDemo(databaseUrl, simulator, dataKeys) }
}

function announce(
  url: string,
  demo: { apiKey: string; docsPassword: string | undefined } | undefined,
  postgres: Embedded | undefined,
): void {
  console.log(`ready: ${url}`)
  if (demo === undefined) return
  const database =
    postgres === undefined
      ? ''
      : `\nThe database for operators, while this runs: PGSERVICEFILE=${serviceFile} psql service=operator
and as its owner, who can make logins: PGSERVICEFILE=${serviceFile} psql service=owner -c "select ops.add_operator('anna')"`
  console.log(
    `\n${demoGreeting(url, demo.apiKey, demo.docsPassword)}
Signed webhooks arriving: ${demoCommand(url)}, in another terminal.${database}\n`,
  )
}

/** The demo, with the settings by which it finds this service. */
function demoCommand(url: string): string {
  const { PORT, DATA_DIR } = process.env
  const settings = [PORT && `PORT=${url.split(':').at(-1)}`, DATA_DIR && `DATA_DIR=${dataDir}`]
  return [...settings, 'npm run demo'].filter(Boolean).join(' ')
}
