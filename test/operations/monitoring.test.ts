import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Receiver } from '../../src/demo/receiver/receiver.ts'
import { testDatabase } from '../support/database.ts'
import { type Partner, products } from '../support/partner.ts'
import { hasPrometheus, type Prometheus, startPrometheus } from '../support/servers/prometheus.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'

// The dashboard and the alert rules that docs/operations offers, against the metrics that the service has.
const required = process.env.REQUIRE_PROMTOOL === '1'
if (!hasPrometheus && !required)
  console.info('no promtool and Prometheus on this machine, hence not run: the tests of the rules with them')

const polling = { timeout: 45_000, interval: 50 }
const isOne = (rows: readonly object[]) => rows.length === 1

const folder = join(import.meta.dirname, '../../docs/operations')
const rulesFile = join(folder, 'prometheus-rules.yml')

type Panel = { title: string; type: string; targets?: { expr: string }[] }
const dashboard: { panels: Panel[] } = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8'))
const panelQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): [string, string] => [title, expr]),
)

const rules = readFileSync(rulesFile, 'utf8')
const alertNames = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
const ruleQueries = [...rules.matchAll(/ expr: (?:>-\n)?(.*?)\n {8}(?:for|labels):/gs)].map(
  ([, text = ''], place): [string, string] => [alertNames[place] ?? '', text.replace(/\s+/g, ' ')],
)

const database = testDatabase({ catalog: true })
let service: WholeService
let partner: Partner
let receiver: Receiver
beforeAll(async () => {
  service = await startWholeService(database, { metricsPort: 0, workerMetricsPort: 0 })
  partner = await service.partner({ balance: 100_000 })
  receiver = await service.receiver(partner)
  await journey()
  await service.sql`select work.run_audit()`
})
afterAll(() => service.close())

/** Orders that are completed and told, that fail, and one whose supplier is asked twice; reads, and a refusal. */
async function journey(): Promise<void> {
  const { supplier } = service
  const callbackUrl = receiver.url
  const items = [{ productId: products.topUp, deliveryData: { gameUserId: '12345' } }]
  for (const status of ['completed', 'failed']) {
    supplier.setAnswer(() => ({ status: 200, json: { status } }))
    const { code } = await service.order(partner, { items, callbackUrl })
    await vi.waitUntil(
      () => service.sql`select from ops.events where order_code = ${code} and state = 'delivered'`.then(isOne),
      polling,
    )
  }
  const unknown = { externalOrderId: 'refused', items: [{ productId: 1 }] }
  await service.api.post('/b2b/orders', { key: partner.key, body: unknown })
  await service.api.get('/b2b/balance', { key: 'svc_live_nobody' })
}

type Exposed = Map<string, Set<string>>

/** The labels of each metric that a process shows. */
async function exposedAt(port: number | undefined): Promise<Exposed> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`)
  const metrics: Exposed = new Map()
  for (const [, name = '', labels = ''] of (await body.text()).matchAll(/^([a-zA-Z_:]\w*)(?:\{([^\n]*)\})? \S+$/gm)) {
    const known = metrics.get(name) ?? new Set(['job', 'instance'])
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    metrics.set(name, known)
  }
  return metrics
}

const words = new Set([
  ...['sum', 'max', 'rate', 'increase', 'delta', 'histogram_quantile', 'min_over_time', 'vector'],
  ...['absent', 'time', 'by', 'or', 'and', 'count'],
])

/** The metrics that a query names, and all labels that it names. */
function namesIn(query: string): { metrics: string[]; labels: string[] } {
  const bare = query.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, '')
  const groups = [...bare.matchAll(/\bby \(([^)]*)\)/g)].map(([, list = '']) => list)
  const matchers = [...bare.matchAll(/\{([^}]*)\}/g)].map(([, list = '']) => list)
  const rest = bare.replaceAll(/\bby \([^)]*\)/g, '').replaceAll(/\{[^}]*\}/g, '')
  const named = (text: string) => [...text.matchAll(/[a-zA-Z_]\w*/g)].map(([word]) => word)
  return { metrics: named(rest).filter((word) => !words.has(word)), labels: [...groups, ...matchers].flatMap(named) }
}

describe('the queries', () => {
  test('are found', () => {
    expect(panelQueries.length).toBeGreaterThan(25)
    expect(ruleQueries.map(([name]) => name)).toEqual(alertNames)
    expect(ruleQueries.every(([, query]) => query.length > 5)).toBe(true)
  })

  test('name only metrics and labels that the service has', async () => {
    const { api, worker } = service
    const own: Exposed = new Map([['up', new Set(['job', 'instance'])]])
    const metrics = [own, await exposedAt(api.metricsPort), await exposedAt(worker.metricsPort)]
    const faults = [...panelQueries, ...ruleQueries].flatMap(([where, query]) => {
      const named = namesIn(query)
      expect(named.metrics.length, `${where}: ${query}`).toBeGreaterThan(0)
      const unknown = named.metrics.filter((name) => !metrics.some((exposed) => exposed.has(name)))
      const labels = new Set(metrics.flatMap((all) => named.metrics.flatMap((name) => [...(all.get(name) ?? [])])))
      return [...unknown, ...named.labels.filter((label) => !labels.has(label))].map((name) => `${where}: ${name}`)
    })
    expect(faults).toEqual([])
  })

  test('show all metrics of the service’s own that are counted or measured', async () => {
    const { api, worker } = service
    const names = [await exposedAt(api.metricsPort), await exposedAt(worker.metricsPort)]
      .flatMap((exposed) => [...exposed.keys()])
      .filter((name) => !/^(nodejs|process)_/.test(name) && !/_(sum|count|bucket)$/.test(name))
    const shown = panelQueries.map(([, query]) => query).join(' ')
    expect(names.filter((name) => !shown.includes(name))).toEqual([])
  })
})

describe.skipIf(!hasPrometheus && !required)('promtool', () => {
  test.each([
    ['finds nothing wrong with the rules', ['check', 'rules', 'docs/operations/prometheus-rules.yml']],
    ['finds nothing wrong with the example of a configuration', ['check', 'config', 'docs/operations/prometheus.yml']],
    [
      'sees each alert fire, and none while all is well',
      ['test', 'rules', 'test/operations/prometheus-rules.test.yml'],
    ],
  ])('%s', (_, args) => {
    const { stdout, stderr } = spawnSync('promtool', args, { cwd: join(folder, '../..'), encoding: 'utf8' })
    expect(`${stdout}${stderr}`).toMatch(/SUCCESS/)
    expect(`${stdout}${stderr}`).not.toMatch(/FAILED|error/i)
  })

  test('has a case for each alert', () => {
    const cases = readFileSync(join(import.meta.dirname, 'prometheus-rules.test.yml'), 'utf8')
    const fired = [...cases.matchAll(/alertname="(\w+)"/g)].map(([, name]) => name)
    expect(fired.sort()).toEqual([...alertNames].sort())
  })
})

describe.skipIf(!hasPrometheus && !required)('a Prometheus that scrapes the service', () => {
  let prometheus: Prometheus
  beforeAll(async () => {
    const jobs = { 'supply-api': service.api.metricsPort ?? 0, 'supply-worker': service.worker.metricsPort ?? 0 }
    prometheus = await startPrometheus(jobs, rulesFile)
    const areUp = async () => (await prometheus.query('up == 1').catch(() => [])).length === 2
    await vi.waitUntil(areUp, polling)
    // Rates need something that rises between two scrapes.
    await journey()
  })
  afterAll(() => prometheus?.stop())

  test.each(panelQueries)('has data for %s: %s', async (_, query) => {
    const numbers = async () =>
      (await prometheus.query(query.replaceAll('$__rate_interval', '10m')))
        .map(({ value }) => Number(value[1]))
        .filter((value) => !Number.isNaN(value))
    await expect.poll(async () => (await numbers()).length).toBeGreaterThan(0)
  })

  test('can evaluate every rule', async () => {
    const evaluated = async () => (await prometheus.rules()).map(({ health }) => health)
    await expect.poll(async () => new Set(await evaluated())).toEqual(new Set(['ok']))
    expect((await prometheus.rules()).map(({ name }) => name)).toEqual(alertNames)
  })
})
