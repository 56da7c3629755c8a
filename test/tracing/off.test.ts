import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'

const root = join(import.meta.dirname, '../..')

// Loads all that a process of the service runs, and starts the tracing; says how many modules of OpenTelemetry that took,
// but for its bare interface, which the metrics' library loads.
const program = `
  import { registerHooks } from 'node:module'
  let loaded = 0
  registerHooks({
    load(url, context, next) {
      if (url.includes('@opentelemetry/') && !url.includes('@opentelemetry/api/')) loaded += 1
      return next(url, context)
    },
  })
  for (const command of ['api', 'worker', 'start']) await import('./src/commands/' + command + '.ts')
  const { startTracing } = await import('./src/tracing/start.ts')
  const tracing = process.argv[1] === 'on' ? { endpoint: 'http://127.0.0.1:9/v1/traces' } : undefined
  const { tracer, end } = await startTracing({ tracing }, 'x', { warn() {}, info() {} })
  tracer.start({ name: 'x', kind: 'client', parent: null }).end({ attributes: {}, failed: false })
  await end()
  console.log(JSON.stringify({ loaded }))
  process.exit(0)
`

test('where traces are off, nothing of the SDK of OpenTelemetry is loaded', () => {
  const loadedWhen = (state: string) => {
    const args = ['--input-type=module', '--eval', program, state]
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    expect(stderr).toBe('')
    return JSON.parse(stdout).loaded
  }
  expect(loadedWhen('off')).toBe(0)
  expect(loadedWhen('on')).toBeGreaterThan(0)
})

describe('traces go', () => {
  const endpoint = 'http://127.0.0.1:4318'
  const tracingOf = (settings: { [name: string]: string }) =>
    loadConfig({ DATABASE_URL: 'postgres://localhost/x', ...settings }).tracing

  test.each([
    ['nowhere unless that is set', {}, undefined],
    ['under the common endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, `${endpoint}/v1/traces`],
    [
      'under a path of the common endpoint',
      { OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/otlp/` },
      `${endpoint}/otlp/v1/traces`,
    ],
    [
      'to their own endpoint as it stands',
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/spans` },
      `${endpoint}/spans`,
    ],
    [
      'nowhere where the SDK is disabled',
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'TRUE' },
      undefined,
    ],
    [
      'where it is not disabled',
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'false' },
      `${endpoint}/v1/traces`,
    ],
  ])('%s', (_, settings, expected) => {
    expect(tracingOf(settings)?.endpoint).toBe(expected)
  })

  test('to no address that is none', () => {
    expect(() => tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' })).toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL',
    )
  })
})
