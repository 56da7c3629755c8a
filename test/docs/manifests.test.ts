import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { settings } from '../../src/config.ts'

// The manifests of docs/operations, as far as they can be checked without a cluster.
type Manifest = ReturnType<typeof JSON.parse>
const folder = join(import.meta.dirname, '../../docs/operations')

function documentsOf(path: string): Manifest[] {
  return parseAllDocuments(readFileSync(join(folder, path), 'utf8')).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([])
    return document.toJS()
  })
}

const manifests = ['service.yaml', 'database.yaml'].flatMap((file) => documentsOf(`kubernetes/${file}`))
const of = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind))
const pods = of('Job', 'Deployment').map(({ spec }) => spec.template.spec)

describe('the manifests for Kubernetes', () => {
  test('are of these kinds', () => {
    expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      ...['batch/v1 Job', 'apps/v1 Deployment', 'v1 Service', 'policy/v1 PodDisruptionBudget', 'apps/v1 Deployment'],
      ...Array(3).fill('networking.k8s.io/v1 NetworkPolicy'),
      ...['postgresql.cnpg.io/v1 Cluster', 'postgresql.cnpg.io/v1 Pooler'],
    ])
    for (const { metadata } of manifests) expect(metadata).toEqual({ name: expect.stringMatching(/^supply-/) })
  })

  test('give no pod more rights than it needs, and let it talk only to those it needs', () => {
    for (const { automountServiceAccountToken, containers } of pods) {
      expect(automountServiceAccountToken).toBe(false)
      expect(containers[0].securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsNonRoot: true, runAsUser: 1000 },
        ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
      })
    }
    const restricted = of('NetworkPolicy').map(({ spec }) => [spec.podSelector.matchLabels.app, spec.policyTypes])
    const labels = of('Job', 'Deployment').map(({ spec }) => spec.template.metadata.labels.app)
    expect(restricted.sort()).toEqual(labels.map((label) => [label, ['Ingress', 'Egress']]).sort())
  })

  test('run one program in each pod, and each program that serves at least twice', () => {
    const image = 'supply-ordering:1'
    expect(pods.map(({ containers }) => containers)).toMatchObject([
      [{ image, args: ['migrate'] }],
      [{ image, args: ['api'] }],
      [{ image, args: ['worker'] }],
    ])
    expect(of('Job')).toMatchObject([{ spec: { template: { spec: { restartPolicy: 'Never' } } } }])
    for (const { spec } of of('Deployment')) expect(spec.replicas).toBeGreaterThanOrEqual(2)
  })

  test('set only what the service reads, to a text or by a secret', () => {
    const secret = { secretKeyRef: { name: 'supply-secrets', key: expect.any(String) } }
    const valid = [{ value: expect.any(String) }, { valueFrom: secret }]
    for (const { containers } of pods) {
      for (const { name, ...given } of containers[0].env) {
        expect(Object.keys(settings.entries)).toContain(name)
        expect(valid, name).toContainEqual(given)
      }
    }
  })

  test('probe ports that are there, and leave the time that the service takes to end', () => {
    for (const { spec } of of('Deployment')) {
      const { containers, terminationGracePeriodSeconds } = spec.template.spec
      const [{ args, ports, readinessProbe, livenessProbe }] = containers
      const probes = args[0] === 'api' ? [readinessProbe, livenessProbe] : [livenessProbe]
      for (const probe of probes) {
        expect(probe).toMatchObject({ periodSeconds: expect.any(Number), timeoutSeconds: expect.any(Number) })
        expect(['/readyz', '/livez', '/metrics']).toContain(probe.httpGet.path)
        expect(ports).toContainEqual({ name: probe.httpGet.port, containerPort: expect.any(Number) })
      }
      expect(terminationGracePeriodSeconds).toBeGreaterThan(30)
    }
  })

  test('select the pods that they make, and a port of theirs', () => {
    const made = of('Deployment').map(({ spec }) => spec.template.metadata.labels)
    const selectors = of('Deployment', 'PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels)
    for (const { spec } of of('Service')) {
      selectors.push(spec.selector)
      for (const { targetPort } of spec.ports) {
        expect(pods[1].containers[0].ports).toContainEqual(expect.objectContaining({ name: targetPort }))
      }
    }
    expect(selectors).toHaveLength(4)
    for (const selector of selectors) expect(made).toContainEqual(selector)
  })

  test('name only secrets that their first lines explain', () => {
    const text = readFileSync(join(folder, 'kubernetes/service.yaml'), 'utf8')
    const explained = text.split('apiVersion')[0]?.split(/[\s,]+/)
    for (const [, key] of text.matchAll(/secretKeyRef: \{ name: supply-secrets, key: ([a-z-]+) \}/g))
      expect(explained).toContain(key)
  })

  test('have two standbys, one of which has each commit, and a pooler that takes its turns by transaction', () => {
    const [cluster, pooler] = of('Cluster', 'Pooler').map(({ spec }) => spec)
    expect(cluster).toMatchObject({
      instances: 3,
      postgresql: { synchronous: { method: 'any', number: 1, dataDurability: 'required', failoverQuorum: true } },
      bootstrap: { initdb: { database: 'supply', encoding: 'UTF8' } },
    })
    expect(pooler).toMatchObject({ cluster: { name: 'supply-db' }, type: 'rw', pgbouncer: { poolMode: 'transaction' } })
    // CloudNativePG takes the parameters as text only.
    const parameters = { ...cluster.postgresql.parameters, ...pooler.pgbouncer.parameters }
    expect(Object.keys(parameters).length).toBeGreaterThan(5)
    for (const value of Object.values(parameters)) expect(value).toEqual(expect.any(String))
  })
})

test('Patroni’s file is YAML, and loses no order that was accepted', () => {
  const [patroni] = documentsOf('patroni/patroni.yml')
  expect(patroni).toMatchObject({
    bootstrap: { dcs: { synchronous_mode: true, synchronous_mode_strict: true, failsafe_mode: true } },
  })
})
