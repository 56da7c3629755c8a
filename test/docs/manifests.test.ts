import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

// The manifests of docs/operations, as far as they can be checked without a cluster.
const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

function documentsOf(path: string): unknown[] {
  return parseAllDocuments(read(`docs/operations/${path}`)).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([])
    return document.toJS()
  })
}

const secret = v.strictObject({ secretKeyRef: v.strictObject({ name: v.literal('supply-secrets'), key: v.string() }) })
const setting = v.union([
  v.strictObject({ name: v.string(), value: v.string() }),
  v.strictObject({ name: v.string(), valueFrom: secret }),
])
const probe = v.object({
  httpGet: v.strictObject({ path: v.picklist(['/readyz', '/livez', '/metrics']), port: v.string() }),
  periodSeconds: v.number(),
  timeoutSeconds: v.number(),
})
const container = v.object({
  name: v.string(),
  image: v.literal('supply-ordering:1'),
  args: v.tuple([v.picklist(['api', 'worker', 'migrate'])]),
  env: v.array(setting),
  ports: v.optional(v.array(v.strictObject({ name: v.string(), containerPort: v.number() })), []),
  readinessProbe: v.optional(probe),
  livenessProbe: v.optional(probe),
})
const labels = v.record(v.string(), v.string())
const podSpec = v.object({
  restartPolicy: v.optional(v.literal('Never')),
  terminationGracePeriodSeconds: v.optional(v.number()),
  containers: v.tuple([container]),
})
const metadata = v.strictObject({ name: v.string() })
const job = v.strictObject({
  apiVersion: v.literal('batch/v1'),
  kind: v.literal('Job'),
  metadata,
  spec: v.strictObject({ backoffLimit: v.number(), template: v.strictObject({ spec: podSpec }) }),
})
const deployment = v.strictObject({
  apiVersion: v.literal('apps/v1'),
  kind: v.literal('Deployment'),
  metadata,
  spec: v.object({
    replicas: v.pipe(v.number(), v.minValue(2)),
    selector: v.strictObject({ matchLabels: labels }),
    template: v.strictObject({ metadata: v.strictObject({ labels }), spec: podSpec }),
  }),
})
const service = v.strictObject({
  apiVersion: v.literal('v1'),
  kind: v.literal('Service'),
  metadata,
  spec: v.strictObject({
    selector: labels,
    ports: v.array(v.strictObject({ name: v.string(), port: v.number(), targetPort: v.string() })),
  }),
})
const budget = v.strictObject({
  apiVersion: v.literal('policy/v1'),
  kind: v.literal('PodDisruptionBudget'),
  metadata,
  spec: v.strictObject({ minAvailable: v.number(), selector: v.strictObject({ matchLabels: labels }) }),
})
const cluster = v.strictObject({
  apiVersion: v.literal('postgresql.cnpg.io/v1'),
  kind: v.literal('Cluster'),
  metadata,
  spec: v.object({
    instances: v.literal(3),
    postgresql: v.strictObject({
      synchronous: v.strictObject({
        method: v.literal('any'),
        number: v.literal(1),
        dataDurability: v.literal('required'),
        failoverQuorum: v.literal(true),
      }),
      // CloudNativePG takes the parameters as text only.
      parameters: v.record(v.string(), v.string()),
    }),
    bootstrap: v.object({ initdb: v.object({ database: v.literal('supply'), encoding: v.literal('UTF8') }) }),
  }),
})
const pooler = v.strictObject({
  apiVersion: v.literal('postgresql.cnpg.io/v1'),
  kind: v.literal('Pooler'),
  metadata,
  spec: v.strictObject({
    cluster: v.strictObject({ name: v.literal('supply-db') }),
    instances: v.number(),
    type: v.literal('rw'),
    pgbouncer: v.strictObject({ poolMode: v.literal('transaction'), parameters: v.record(v.string(), v.string()) }),
  }),
})
const manifest = v.variant('kind', [job, deployment, service, budget, cluster, pooler])

const kubernetes = ['service.yaml', 'database.yaml'].flatMap((file) => documentsOf(`kubernetes/${file}`))
const parsed = () => kubernetes.map((document) => v.parse(manifest, document))
const pods = () =>
  parsed().flatMap((document) =>
    document.kind === 'Job' || document.kind === 'Deployment' ? [document.spec.template.spec] : [],
  )

describe('the manifests for Kubernetes', () => {
  test('have the fields that each kind needs', () => {
    expect(parsed().map(({ kind }) => kind)).toEqual([
      ...['Job', 'Deployment', 'Service', 'PodDisruptionBudget', 'Deployment', 'Cluster', 'Pooler'],
    ])
  })

  test('set only what the service reads', () => {
    const settings = new Set(
      read('src/config.ts')
        .match(/^ {2}[A-Z_]{4,}(?=:)/gm)
        ?.map((name) => name.trim()),
    )
    expect(settings.size).toBeGreaterThan(20)
    for (const { containers } of pods()) for (const { name } of containers[0].env) expect(settings).toContain(name)
  })

  test('probe ports that are there, and leave the time that the service takes to end', () => {
    for (const { containers, terminationGracePeriodSeconds, restartPolicy } of pods()) {
      const [{ ports, readinessProbe, livenessProbe }] = containers
      const names = ports.map(({ name }) => name)
      for (const asked of [readinessProbe, livenessProbe])
        if (asked !== undefined) expect(names).toContain(asked.httpGet.port)
      if (restartPolicy !== 'Never') expect(terminationGracePeriodSeconds).toBeGreaterThan(30)
    }
  })

  test('select the pods that they make', () => {
    const made = parsed().flatMap((document) =>
      document.kind === 'Deployment' ? [document.spec.template.metadata.labels] : [],
    )
    for (const document of parsed()) {
      if (document.kind === 'Service') expect(made).toContainEqual(document.spec.selector)
      if (document.kind === 'PodDisruptionBudget' || document.kind === 'Deployment')
        expect(made).toContainEqual(document.spec.selector.matchLabels)
    }
  })

  test('name only secrets that their first lines explain', () => {
    const text = read('docs/operations/kubernetes/service.yaml')
    const comment = text.split('apiVersion')[0] ?? ''
    for (const [, key] of text.matchAll(/secretKeyRef: \{ name: supply-secrets, key: ([a-z-]+) \}/g))
      expect(comment).toContain(key)
  })
})

test('Patroni’s file is YAML, and loses no order that was accepted', () => {
  const [patroni] = documentsOf('patroni/patroni.yml')
  expect(patroni).toMatchObject({
    bootstrap: { dcs: { synchronous_mode: true, synchronous_mode_strict: true, failsafe_mode: true } },
  })
})
