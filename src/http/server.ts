import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { watchOrders } from '../database/failovers.ts'
import { addPoolMetrics, startMetricsServer } from '../metrics.ts'
import type { Listening } from '../network/listen.ts'
import { type AppOptions, createApp } from './app.ts'
import { startHeartbeat } from './heartbeat.ts'
import { createHttpMetrics, type HttpMetrics } from './metrics.ts'
import { answerParserErrors } from './parser_errors.ts'
import { createRecent } from './recent.ts'
import { createResultWaiters } from './routes/result_waiters.ts'

/** The server's time-outs, in milliseconds. */
export type ServerTimes = {
  /** Until a request's headers, and a whole request, have come. */
  headersMs: number
  requestMs: number
  /** How long an idle connection is kept: longer than load balancers do (60 s), so that they close it and not we. */
  keepAliveMs: number
  /** How long a connection on which nothing moves is kept while a request is under way. */
  stalledMs: number
  /** How long a body may take to arrive. */
  bodyMs: number
  /** How long after the signal to end what is still under way is given up. */
  drainMs: number
}

type Given = 'db' | 'reads' | 'tracer' | 'sealing' | 'config' | 'site' | 'log' | 'expected'

export type ServerOptions = Pick<AppOptions, Given> & {
  config: Pick<Config, 'host' | 'port' | 'metricsPort' | 'drainSeconds'>
  times?: Partial<ServerTimes>
}

/** A running API. */
export type ApiServer = {
  /** As `http://127.0.0.1:3000`. */
  url: string
  port: number
  metrics: HttpMetrics
  metricsPort: number | undefined
  /**
   * Is not ready any more, serves on for `config.drainSeconds` so that balancers can turn away, then takes no more,
   * lets what is under way end, and closes everything; resolves then, after 25 s at the latest.
   */
  drain(): Promise<void>
  /** Closes everything at once. */
  close(): Promise<void>
}

const defaultTimes: ServerTimes = {
  headersMs: 15_000,
  requestMs: 30_000,
  keepAliveMs: 75_000,
  stalledMs: 60_000,
  bodyMs: 10_000,
  drainMs: 25_000,
}
const maxHeaderBytes = 16 * 1024

/** Starts the API on `config.host` and `config.port`; port 0 takes any free one. Rejects if a port cannot be had. */
export async function startServer(options: ServerOptions): Promise<ApiServer> {
  const { reads, config, site, log, tracer, sealing, expected } = options
  const { db, stop: stopWatching } = watchOrders(options.db, log)
  const times = { ...defaultTimes, ...options.times }
  const lifecycle = { draining: false }
  const metrics = createHttpMetrics()
  addPoolMetrics(metrics.registry, db.usage)
  const resultWaiters = createResultWaiters({ db })
  const usedUp = createRecent<number>()
  const stopHeartbeat = startHeartbeat(db, usedUp)
  const app = createApp({
    db,
    reads,
    resultWaiters,
    config,
    site,
    log,
    tracer,
    sealing,
    metrics,
    usedUp,
    lifecycle,
    expected,
    bodyMs: times.bodyMs,
  })
  const server = createHttpServer(app.callback(), times)
  let metricsServer: Listening | undefined
  try {
    if (config.metricsPort !== undefined) {
      metricsServer = await startMetricsServer(config.metricsPort, config.host, metrics.registry)
    }
    server.listen(config.port, config.host)
    await once(server, 'listening')
  } catch (error) {
    stopWatching()
    void stopHeartbeat()
    await metricsServer?.close()
    throw error
  }
  const { port } = server.address() as AddressInfo

  const closed = once(server, 'close')
  async function close(): Promise<void> {
    lifecycle.draining = true
    stopWatching()
    void stopHeartbeat()
    resultWaiters.end()
    server.close()
    server.closeAllConnections()
    await Promise.all([closed, metricsServer?.close()])
  }

  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    port,
    metrics,
    metricsPort: metricsServer?.port,
    close,
    async drain() {
      lifecycle.draining = true
      resultWaiters.end()
      const serveMs = config.drainSeconds * 1_000
      await sleep(serveMs)
      // Takes no more connections and closes the idle ones.
      server.close()
      await Promise.race([closed, sleep(times.drainMs - serveMs, undefined, { ref: false })])
      await close()
    },
  }
}

function createHttpServer(handle: ReturnType<ReturnType<typeof createApp>['callback']>, times: ServerTimes): Server {
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      keepAliveTimeout: times.keepAliveMs,
      connectionsCheckingInterval: Math.min(1_000, times.headersMs),
      // The app refuses a request without Host itself, in its own words.
      requireHostHeader: false,
    },
    handle,
  )
  server.timeout = times.stalledMs
  // A client gets its 100 Continue when its body is to be read, and not if it is refused before.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  // An Expect header that we do not know is no reason to refuse a request.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  answerParserErrors(server)
  return server
}
