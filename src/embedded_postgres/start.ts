import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../network/error_code.ts'
import { binaries } from './binaries.ts'
import { connectionUrl, ensureDatabase, isOurServer, nobodyElseConnected } from './connection.ts'
import { initialise, readPassword, refuseForeignData, writeSecretFile } from './data.ts'
import { type Place, placeFor } from './place.ts'
import { launch, runningServer, stopServer, watchServer } from './server.ts'

export type PostgresOptions = {
  /** The folder for the data, made if it is missing; mostly `.data` in the checkout. */
  dataDir: string
  /** True: commits survive a power cut. False, for tests: faster, and the server ends with this process. */
  durable: boolean
  /** The port on 127.0.0.1; absent or 0: a free one. A server that already runs keeps its port. */
  port?: number | undefined
  /** The database of the URL, made if it is missing. The default is `postgres`. */
  database?: string | undefined
}

export type EmbeddedPostgres = {
  /** A superuser's connection URL, with its password. */
  url: string
  /** The folder of the data. It is not the requested one if the server's user cannot enter that (`relocated`). */
  dataDir: string
  relocated: boolean
  /** The 0600 file that holds `url`. */
  urlFile: string
  /** Whether the server was already running. */
  reused: boolean
  /** Settles with one line when the server has ended without `stop`. */
  ended: Promise<string>
  /** Whether the server has ended, or is about to, also where `stop` was called. */
  isEnding(): boolean
  /**
   * Stops the server. It stops a reused one only if nobody else is connected to it: then its starter was killed. It
   * resolves also if the server has already ended.
   */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL 18 of the npm package, or uses the server that already runs on this data folder.
 *
 * It listens on 127.0.0.1 only and requires a password: otherwise every user of the machine would be a superuser. The
 * password is created with the data and kept there, readable by the owner alone. PostgreSQL refuses to run as root, so
 * root runs it as `postgres`, or else `nobody`.
 *
 * Rejects with one clear line if there is no PostgreSQL for this platform, the server does not come up, the folder
 * cannot be written, or its data is of another version of PostgreSQL or a copy of a folder that is still there.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    const code = errorCode(error) ?? ''
    if (!unwritable.includes(code)) throw error
    throw new Error(
      `cannot write to ${options.dataDir} (${code}): start this where its user may write and space is left, or set ` +
        'DATABASE_URL to another database',
      { cause: error },
    )
  }
}

const unwritable = ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT']

async function start(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const place = await placeFor(options.dataDir)
  refuseForeignData(place)
  const found = await takeRunning(place)
  if (found !== undefined) return hand(place, options, { ...found, reused: true })
  const programs = await binaries(place)
  await initialise(place, programs, options.durable)
  refuseForeignData(place)
  const started = await launch(place, programs, options)
  return hand(place, options, started)
}

type Server = { pid: number; port: number; reused: boolean; stop?: () => Promise<void> }

async function takeRunning(place: Place): Promise<Omit<Server, 'reused'> | undefined> {
  const server = await runningServer(place)
  if (server === undefined) return undefined
  const url = connectionUrl(readPassword(place), server.port, 'postgres')
  return (await isOurServer(url, place.cluster)) ? server : undefined
}

async function hand(place: Place, options: PostgresOptions, server: Server): Promise<EmbeddedPostgres> {
  const password = readPassword(place)
  const admin = connectionUrl(password, server.port, 'postgres')
  const database = options.database ?? 'postgres'
  await ensureDatabase(admin, database)
  const url = connectionUrl(password, server.port, database)
  const urlFile = join(place.wanted, 'url')
  writeSecretFile(urlFile, url)
  let stopping: Promise<void> | undefined
  const watch = watchServer(server.pid, place)
  const stop = async () => {
    watch.stop()
    if (server.reused && !(await nobodyElseConnected(admin))) return
    await (server.stop ?? (() => stopServer(server.pid)))()
    rmSync(urlFile, { force: true })
  }
  return {
    url,
    dataDir: place.dataDir,
    relocated: place.relocated,
    urlFile,
    reused: server.reused,
    ended: watch.ended,
    isEnding: watch.isEnding,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}
