import { afterAll, afterEach, describe, expect, test } from 'vitest'
import project from '../../package.json' with { type: 'json' }
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { startTracing } from '../../src/tracing/start.ts'
import type { Tracing } from '../../src/tracing/tracer.ts'
import { testDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'
import { type OtlpCollector, startOtlpCollector } from '../support/servers/otlp_collector.ts'
import { done, underWay } from '../support/servers/scripted_supplier.ts'
import { startApiProcess } from '../support/servers/service_process.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const open: { close: () => Promise<unknown> }[] = []
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close()
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const clientSpan = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${clientSpan}-01`

type Traced = Tracing & { collector: OtlpCollector; warnings: string[] }

async function collectorOf(answer?: number | 'hang'): Promise<OtlpCollector> {
  const collector = await startOtlpCollector(answer)
  open.push(collector)
  return collector
}

async function startTraced(collector: OtlpCollector, settings: { [name: string]: string } = {}): Promise<Traced> {
  const warnings: string[] = []
  const log = createLog('warn', { write: (line: string) => void warnings.push(JSON.parse(line).msg) })
  const config = loadConfig({ DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings })
  const tracing = await startTracing(config, 'the-service', log)
  open.push({ close: tracing.end })
  return { ...tracing, collector, warnings }
}

let service: WholeService | undefined
afterAll(() => service?.close())

async function placeAndDeliver(tracing: Tracing, headers: Record<string, string>) {
  await service?.close()
  service = await startWholeService(database, {}, { tracer: tracing.tracer })
  const { api, supplier } = service
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  supplier.setAnswer(({ method }) => (method === 'PUT' ? underWay : done(['THE-CODE'])))
  const callbackUrl = `${receiver.url}/hook?secret=of-the-url`
  const body = { externalOrderId: 'traced', callbackUrl, items: [{ productId: products.key }] }
  const placed = await api.post('/b2b/orders', { key: partner.key, headers, body })
  expect(placed.status).toBe(201)
  const delivery = await receiver.waitFor(() => true, 60_000)
  const secret = await service.sql`select ops.webhook_secret(${partner.accountId}) as text`
  const item = placed.json.data.items[0].id as string
  const inLog = [...api.records, ...service.worker.records]
  await expect.poll(() => service?.worker.records.some(({ msg }) => msg === 'delivery')).toBe(true)
  return { partner, placed, delivery, item, calls: supplier.requestsFor(item), secret: secret[0]?.text, inLog }
}

describe('traces that are exported', () => {
  test('have the request, its calls to the supplier and its delivery in one trace, and no secret', async () => {
    const tracing = await startTraced(await collectorOf())
    const { partner, placed, delivery, item, calls, secret } = await placeAndDeliver(tracing, { traceparent })
    await tracing.end()

    const { spans, paths, bodies } = tracing.collector
    expect(new Set(paths)).toEqual(new Set(['/v1/traces']))
    const ofTrace = spans.filter((span) => span.traceId === traceId)
    const named = (name: string) => ofTrace.find((span) => span.name === name)
    const request = named('POST /b2b/orders')
    const requestId = placed.headers['x-request-id']
    expect(request).toMatchObject({ service: 'the-service', parentSpanId: clientSpan, kind: 2 })
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/b2b/orders',
      'http.response.status_code': 201,
      'supply.request_id': requestId,
      'supply.account': String(partner.accountId),
    })
    const within = { parentSpanId: request?.spanId, kind: 3, status: {} }
    expect(named('supplier put')).toMatchObject(within)
    expect(named('supplier put')?.attributes).toMatchObject({
      'supply.item': item,
      'supply.outcome': 'processing',
      'supply.request_id': requestId,
      'http.response.status_code': 202,
    })
    expect(named('supplier get')).toMatchObject(within)
    expect(named('webhook delivery')).toMatchObject(within)
    expect(named('webhook delivery')?.attributes).toMatchObject({
      'supply.verdict': 'delivered',
      'http.response.status_code': 200,
    })
    expect(ofTrace).toHaveLength(4)

    // Each call names the span that it is made in.
    const sentIn = [...calls, delivery].map(({ headers }) => headers.traceparent)
    const expected = ['supplier put', 'supplier get', 'webhook delivery'].map((name) => named(name)?.spanId)
    expect(sentIn).toEqual(expected.map((id) => `00-${traceId}-${id}-01`))

    const told = bodies.join('\n')
    for (const hidden of [partner.key, secret, 'scripted-token', 'THE-CODE', 'of-the-url', 'postgres']) {
      expect(told).not.toContain(hidden)
    }
  })

  test('begin with the request where it came with none, and its log says in which', async () => {
    const tracing = await startTraced(await collectorOf())
    const { delivery, inLog } = await placeAndDeliver(tracing, { traceparent: 'nonsense' })
    await tracing.end()
    const request = tracing.collector.spans.find(({ name }) => name === 'POST /b2b/orders')
    expect(request).not.toHaveProperty('parentSpanId', expect.stringMatching(/./))
    expect(delivery.headers.traceparent).toContain(request?.traceId)
    const logged = inLog.filter((record) => record.traceId === request?.traceId)
    expect(logged.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['request', 'supplier call']))
  })

  test('are those that the sampler takes, and the others say so to whom they call', async () => {
    const tracing = await startTraced(await collectorOf(), { OTEL_TRACES_SAMPLER: 'always_off' })
    const { tracer, end, collector } = tracing
    const span = tracer.start({ name: 'x', kind: 'client', parent: traceparent })
    expect(span.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
    span.end({ attributes: {}, failed: false })
    await end()
    expect(collector.spans).toEqual([])
  })

  test.each([
    ['not known', { OTEL_TRACES_SAMPLER: 'xray' }, 2],
    ['the parent decides', { OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 1],
    ['none of all', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, 0],
    ['a ratio that is none', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, 2],
  ])('by the sampler: %s', async (_, settings, count) => {
    const { tracer, end, collector } = await startTraced(await collectorOf(), settings)
    for (const parent of [traceparent, null]) {
      tracer.start({ name: 'x', kind: 'client', parent }).end({ attributes: {}, failed: false })
    }
    await end()
    expect(collector.spans).toHaveLength(count)
  })
})

describe('a collector', () => {
  test('that never answers holds up no order, no webhook and not the end', async () => {
    const tracing = await startTraced(await collectorOf('hang'))
    await placeAndDeliver(tracing, { traceparent })
    await expect.poll(() => tracing.collector.bodies.length).toBeGreaterThan(0)
    await tracing.end()
  })

  test('that is not there costs spans alone', async () => {
    const collector = await collectorOf()
    await collector.close()
    const tracing = await startTraced(collector)
    await placeAndDeliver(tracing, { traceparent })
    await tracing.end()
    expect(collector.spans).toEqual([])
  })

  test('that refuses, while there is more than it could take, costs spans and one line in the log', async () => {
    const tracing = await startTraced(await collectorOf(400))
    const ended = Array.from({ length: 20_000 }, () => {
      const span = tracing.tracer.start({ name: 'x', kind: 'client', parent: null })
      span.end({ attributes: {}, failed: true })
      return span.traceparent
    })
    expect(new Set(ended).size).toBe(20_000)
    await tracing.end()
    expect(tracing.collector.spans.length).toBeLessThan(20_000)
    expect(tracing.warnings).toEqual(['traces cannot be exported: the collector does not take them'])
  })
})

test('a process sends what it has before it ends, under its own name', async () => {
  const collector = await collectorOf()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, DRAIN_SECONDS: '0' }
  for (const name of ['', 'shop']) {
    const api = await startApiProcess(database.url, { ...env, OTEL_SERVICE_NAME: name })
    await fetch(`${api.url}/livez`)
    await fetch(`${api.url}/no/such/path?key=hidden`)
    expect(await api.end()).toBe(0)
  }
  expect(collector.spans).toMatchObject([
    {
      service: 'supply-ordering-api',
      version: project.version,
      name: 'GET',
      attributes: { 'http.response.status_code': 404 },
    },
    { service: 'shop', name: 'GET' },
  ])
  expect(collector.bodies.join()).not.toContain('hidden')
})
