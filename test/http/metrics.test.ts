import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Gauge, Registry } from 'prom-client'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { createHttpMetrics } from '../../src/http/metrics.ts'
import { startMetricsServer } from '../../src/metrics.ts'
import { httpTests } from '../support/http_tests.ts'
import { testApi } from '../support/service.ts'

const { database, api, get } = httpTests({ config: { metricsPort: 0 } })
const silentApi = testApi(() => database.url)

const scrape = async (path = '/metrics') => {
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${api().metricsPort}${path}`)
  return { status: statusCode, type: headers['content-type'], text: await body.text() }
}

test('requests are counted by method, route pattern and status, never by path', async () => {
  await get('/b2b/orders/ord_secret')
  await get('/b2b/orders')
  await api().get('/unknown-path')
  await api().send('PROPFIND', '/unknown-path')
  const { status, type, text } = await scrape()
  expect(status).toBe(200)
  expect(type).toMatch(/^text\/plain/)
  expect(text).toContain(
    'supply_http_request_duration_seconds_count{method="GET",route="/b2b/orders/:code",status="404"} 1',
  )
  expect(text).toContain('supply_http_request_duration_seconds_count{method="GET",route="/b2b/orders",status="200"} 1')
  expect(text).toContain('supply_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1')
  expect(text).toContain('supply_http_request_duration_seconds_count{method="other",route="none",status="404"} 1')
  expect(text).toMatch(/supply_database_batch_size_count\{batch="admit"\} \d/)
  expect(text).toContain('process_cpu_seconds_total')
  expect(text).toMatch(/supply_database_pool_connections\{state="idle"\} [1-9]/)
  expect(text).toMatch(/supply_database_pool_connections\{state="in_use"\} \d/)
  expect(text).toMatch(/^supply_database_pool_connections_max 10$/m)
  expect(text).toMatch(/^supply_database_pool_waiting 0$/m)
  expect(text).not.toMatch(/ord_secret|unknown-path/)
})

test('orders are counted by account, of the 100 busiest accounts alone', async () => {
  const metrics = createHttpMetrics()
  for (let id = 1; id <= 101; id += 1) {
    metrics.placedOrder({ id: String(id), currency: 'RUB' }, 10)
    if (id > 1) metrics.refusedOrder({ id: String(id) }, 'INSUFFICIENT_BALANCE')
  }
  const text = await metrics.registry.metrics()
  expect(text).toContain('supply_account_orders_total{account="101",result="placed"} 1')
  expect(text).toContain('supply_account_orders_total{account="101",result="INSUFFICIENT_BALANCE"} 1')
  expect(text).not.toContain('account="1",')
  expect(text.match(/^supply_account_orders_total.*placed/gm)).toHaveLength(100)
})

test('the metrics port serves metrics only, and no other port serves them', async () => {
  expect((await scrape('/b2b/balance')).status).toBe(404)
  expect((await api().get('/metrics')).status).toBe(404)
})

test('without METRICS_PORT there is no metrics server', () => {
  expect(silentApi().metricsPort).toBeUndefined()
})

test('startMetricsServer serves any registry until it is closed', async () => {
  const server = await startMetricsServer(0, '127.0.0.1', new Registry())
  expect((await request(`http://127.0.0.1:${server.port}/metrics`)).statusCode).toBe(200)
  await server.close()
  await expect(request(`http://127.0.0.1:${server.port}/metrics`)).rejects.toThrow()
})

test('the metrics server cuts a client that does not read its answer', async () => {
  const registry = new Registry()
  // More than the buffers of both sockets take.
  new Gauge({ name: 'long', help: 'x'.repeat(32 * 1024 * 1024), registers: [registry] })
  const server = await startMetricsServer(0, '127.0.0.1', registry, 200)
  const accepted = Promise.withResolvers<Socket>()
  const note = (message: unknown) => {
    const { server: asked, socket } = message as { server: Server; socket: Socket }
    if ((asked.address() as AddressInfo | null)?.port === server.port) accepted.resolve(socket)
  }
  subscribe('http.server.request.start', note)
  const client = connect(server.port, '127.0.0.1').on('error', () => {})
  client.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n')
  const socket = await accepted.promise
  unsubscribe('http.server.request.start', note)
  await once(socket, 'close')
  expect(socket.bytesWritten).toBeGreaterThan(0)
  client.destroy()
  await server.close()
})
