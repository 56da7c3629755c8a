import { once } from 'node:events'
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { batchesOf, startApi, type TestApi } from '../support/service.ts'

const database = testDatabase({ catalog: true })
// A busy machine needs most of it for a few requests.
const drainSeconds = 1
const times = { drainMs: 20_000 }
let partner: Partner
let api: TestApi
let agent: HttpAgent

beforeAll(async () => {
  partner = await makePartner(database.sql)
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:1', token: 't' })
})
beforeEach(async () => {
  api = await startApi(database.url, { config: { drainSeconds }, times })
  agent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
})
afterEach(async () => {
  agent.destroy()
  await api.close()
})

type Got = { status: number | undefined; headers: IncomingMessage['headers']; body: string; socket: Socket }

function start(path: string, method = 'GET', headers: Record<string, string> = {}): ClientRequest {
  const all = { 'x-api-key': partner.key, ...headers }
  return request({ port: api.port, host: '127.0.0.1', path, method, headers: all, agent })
}

async function finish(sent: ClientRequest, body = ''): Promise<Got> {
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { socket } = response
  return { status: response.statusCode, headers: response.headers, body: await text(response), socket }
}

test('during the drain, requests on open and on new connections are served, with Connection: close', async () => {
  const before = await finish(start('/b2b/balance'))
  expect(before.status).toBe(200)
  const drained = api.drain()
  const after = await finish(start('/b2b/balance'))
  expect(after.socket).toBe(before.socket)
  const fresh = await finish(start('/b2b/balance'))
  expect(fresh.socket).not.toBe(before.socket)
  for (const { status, headers } of [after, fresh]) {
    expect(status).toBe(200)
    expect(headers.connection).toBe('close')
  }
  await drained
})

test('during the drain, each refusal closes its connection', async () => {
  const drained = api.drain()
  const refusals = [
    await finish(start('/nowhere')),
    await finish(start('/b2b/balance', 'GET', { 'x-api-key': 'svc_live_unknown' })),
    await finish(start('/b2b/balance', 'POST')),
  ]
  expect(refusals.map(({ status }) => status)).toEqual([404, 401, 405])
  for (const { headers } of refusals) expect(headers.connection).toBe('close')
  await drained
})

test('/readyz answers 503 and /livez answers 200 during the drain', async () => {
  const drained = api.drain()
  const ready = await finish(start('/readyz'))
  expect(ready.status).toBe(503)
  expect(Number(ready.headers['retry-after'])).toBeGreaterThan(0)
  expect(JSON.parse(ready.body)).toMatchObject({ success: false, code: 'UNAVAILABLE' })
  expect((await finish(start('/livez'))).status).toBe(200)
  await drained
})

test('idle connections are closed after DRAIN_SECONDS, not before', async () => {
  const { socket } = await finish(start('/b2b/balance'))
  const closed = once(socket, 'close')
  const drained = api.drain()
  expect((await api.get('/livez')).status).toBe(200)
  expect(socket.closed).toBe(false)
  await closed
  await drained
})

test('a request under way is answered after the listener is closed', async () => {
  const body = JSON.stringify({ externalOrderId: 'under way', items: [{ productId: products.key }] })
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  const sent = start('/b2b/orders', 'POST', headers)
  sent.write(body.slice(0, 10))
  await expect.poll(() => batchesOf(api, 'admit')).toBe(1)
  await api.get('/livez')
  const drained = api.drain()
  const reach = () => api.get('/livez').catch(({ code }: { code: string }) => code)
  await expect.poll(reach).toBe('ECONNREFUSED')
  const answer = await finish(sent, body.slice(10))
  expect(answer.status).toBe(201)
  expect(answer.headers.connection).toBe('close')
  await drained
})

test('no connection is accepted after the drain', async () => {
  await api.drain()
  await expect(finish(start('/livez'))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a request that does not end is cut off at the end of the drain', async () => {
  await api.close()
  api = await startApi(database.url, { config: { drainSeconds }, times: { drainMs: 800 } })
  const sent = start('/b2b/orders', 'POST', { 'content-type': 'application/json', 'content-length': '10' })
  const cut = once(sent, 'error')
  sent.write('{')
  await expect.poll(() => batchesOf(api, 'admit')).toBe(1)
  await api.drain()
  await cut
})
