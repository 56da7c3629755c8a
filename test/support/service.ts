import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Agent, request } from 'undici'
import { afterAll, beforeAll } from 'vitest'
import { connectApi } from '../../src/commands/connections.ts'
import { startSealing } from '../../src/commands/sealing.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Database } from '../../src/database/client.ts'
import { type ApiServer, type ServerTimes, startServer } from '../../src/http/server.ts'
import { createLog } from '../../src/log.ts'
import { expectedVersion } from '../../src/migrate/sql_files.ts'
import { createSite } from '../../src/site/site.ts'
import type { Tracer } from '../../src/tracing/tracer.ts'
import { registerFirstKey } from './data_keys.ts'
import { misfits } from './openapi/fits.ts'

export type ApiOptions = {
  /** Settings other than the tests' own: no budget that a test could use up, callbacks to this machine allowed. */
  config?: Partial<Config>
  times?: Partial<ServerTimes>
  tracer?: Tracer
}

export type Send = {
  key?: string | undefined
  headers?: Record<string, string | string[]>
  /** Sent as JSON, unless it is a text or bytes. */
  body?: unknown
}

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** Of a JSON response, what JSON.parse gives. */
  json: ReturnType<typeof JSON.parse>
}

/** An error's body without what is another one each time. */
export function withoutRequestId({ requestId, ...body }: { [field: string]: unknown }) {
  if (typeof requestId !== 'string') throw new Error('the body names no request')
  return body
}

/** The names of a body's members in their order, without the values; of lists that of the last entry. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value.at(-1))]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.entries(value).map(([name, member]) => [name, shapeOf(member)])
}

export type TestApi = ApiServer & {
  db: Database
  /** Every record that the server logged, at level trace. */
  records: { [field: string]: unknown }[]
  /** Sends a request and returns the answer. Throws if the answer differs from the OpenAPI document. */
  send(method: string, path: string, options?: Send): Promise<Answer>
  get(path: string, options?: Send): Promise<Answer>
  post(path: string, options?: Send): Promise<Answer>
}

/** Starts the API as `npm run api` does, on a free port of 127.0.0.1, against a database. */
export async function startApi(databaseUrl: string, options: ApiOptions = {}): Promise<TestApi> {
  const env = { DATABASE_URL: databaseUrl, CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8' }
  const config = { ...loadConfig(env), rateLimitPerMinute: 1_000_000, port: 0, ...options.config }
  const records: { [field: string]: unknown }[] = []
  const log = createLog('trace', { write: (line: string) => void records.push(JSON.parse(line)) })
  const db = connectApi(databaseUrl)
  if (config.dataKeys !== undefined) await registerFirstKey(databaseUrl, config.dataKeys)
  const sealing = config.dataKeys && (await startSealing(config, db, 'api', log))
  const server = await startServer({
    db,
    sealing,
    config,
    site: createSite(config),
    log,
    expected: expectedVersion(),
    ...(options.times ? { times: options.times } : {}),
    tracer: options.tracer,
  })
  const agent = new Agent({ connections: 200 })
  const send: TestApi['send'] = async (method, path, what = {}) => {
    const answer = await sendRequest(agent, `${server.url}${path}`, method, what)
    const faults = misfits(method, path, answer)
    if (faults.length > 0) throw new Error(`the OpenAPI document does not describe it: ${faults.join('; ')}`)
    return answer
  }
  return {
    ...server,
    db,
    records,
    send,
    get: (path, what) => send('GET', path, what),
    post: (path, what) => send('POST', path, what),
    async close() {
      await agent.destroy()
      await server.close()
      await db.end()
    },
  }
}

/** For a test file or a describe: an API that runs from before its first test until after its last. */
export function testApi(database: () => string, options: ApiOptions = {}): () => TestApi {
  let api: TestApi | undefined
  beforeAll(async () => {
    api = await startApi(database(), options)
  })
  afterAll(() => api?.close())
  return () => {
    if (api === undefined) throw new Error('the API exists only inside tests and hooks')
    return api
  }
}

/** How many statements an API has made so far for the requests that come together as this batch. */
export async function batchesOf({ metrics }: TestApi, batch: string): Promise<number> {
  const sizes = await metrics.registry.getSingleMetricAsString('supply_database_batch_size')
  return Number(new RegExp(`_count\\{batch="${batch}"\\} (\\d+)`).exec(sizes)?.[1] ?? 0)
}

/** Writes bytes to a port of this machine and gives all that comes back until the connection is closed. */
export async function exchangeRaw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  return text(socket)
}

async function sendRequest(agent: Agent, url: string, method: string, what: Send): Promise<Answer> {
  const { key, headers = {}, body } = what
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const response = await request(url, {
    dispatcher: agent,
    method: method as 'GET',
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isRaw ? (body ?? null) : JSON.stringify(body),
  })
  const received = await response.body.text()
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return {
    status: response.statusCode,
    headers: response.headers,
    text: received,
    json: isJson && received !== '' ? JSON.parse(received) : undefined,
  }
}
