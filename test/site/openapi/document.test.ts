import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { createRoutes } from '../../../src/http/app.ts'
import { errorNames, errorOf } from '../../../src/http/errors.ts'
import { createHttpMetrics } from '../../../src/http/metrics.ts'
import { createAdmission } from '../../../src/http/middleware/admission.ts'
import { createRecent } from '../../../src/http/recent.ts'
import { createResultWaiters } from '../../../src/http/routes/result_waiters.ts'
import { expectedVersion } from '../../../src/migrate/sql_files.ts'
import { headers } from '../../../src/site/openapi/headers.ts'
import { createSite } from '../../../src/site/site.ts'
import { testDatabase } from '../../support/database.ts'
import { document, jsonOf, operations, resolve, valuesOf } from '../../support/openapi/document.ts'
import { faultsOf } from '../../support/openapi/fits.ts'
import { testApi } from '../../support/service.ts'

const scratch = mkdtempSync(join(tmpdir(), 'openapi-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe('the document', () => {
  test('is OpenAPI 3.1 without a fault or a warning', () => {
    const file = join(scratch, 'openapi.json')
    writeFileSync(file, JSON.stringify(document))
    const { status, output } = lint(file)
    expect(output).toContain('valid')
    expect(status, output).toBe(0)
  })

  test('would not pass with a fault in it', () => {
    const file = join(scratch, 'broken.json')
    const { paths, ...rest } = structuredClone(document)
    writeFileSync(file, JSON.stringify({ ...rest, paths: { '/x': { get: { responses: {} } } } }))
    expect(lint(file).status).not.toBe(0)
  })

  test('has an id for each operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('the routes', () => {
  const database = testDatabase()
  const api = testApi(() => database.url)

  test('are those of the document, except the parts of its pages', () => {
    const config = loadConfig({ DATABASE_URL: database.url })
    const metrics = createHttpMetrics()
    const { db } = api()
    const admission = createAdmission({ db, config, metrics, usedUp: createRecent(), onKeyUsed: () => {} })
    const lifecycle = { draining: false }
    const resultWaiters = createResultWaiters({ db })
    const site = createSite(config)
    const options = { db, resultWaiters, config, site, metrics, lifecycle, expected: expectedVersion() }
    const routes = createRoutes(options, admission)
    const isPart = ({ path }: { path: string | RegExp }) => /^\/(?:assets|docs)\//.test(String(path))
    const described = routes.stack.filter((route) => !isPart(route))
    const routed = described.flatMap(({ path, methods }) =>
      // What answers GET answers HEAD; the document says so once for all.
      methods
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${String(path).replaceAll(/:(\w+)/g, '{$1}')}`),
    )
    expect(routed.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort())
  })
})

describe('the errors', () => {
  const responses = [
    ...operations.flatMap(({ operation }) => Object.values(operation.responses)),
    ...Object.values(document.components.responses),
  ].map(resolve)
  const examples = responses.flatMap(({ content }) => Object.entries(jsonOf(content)?.examples ?? {}))

  test.each(errorNames)('%s is in the document with its very text', (name) => {
    const { body } = errorOf(name)
    const shown = examples.filter(([named]) => named === name).map(([, { value }]) => value)
    expect(shown.length).toBeGreaterThan(0)
    for (const value of shown) expect(value).toMatchObject(body)
  })
})

describe('the examples', () => {
  const bodies = operations.flatMap(({ method, path, operation }) => [
    ...Object.entries(operation.responses)
      .filter(([, response]) => !('$ref' in response))
      .map(([status, response]) => ({
        place: ['paths', path, method.toLowerCase(), 'responses', status],
        content: resolve(response).content,
      })),
    { place: ['paths', path, method.toLowerCase(), 'requestBody'], content: operation.requestBody?.content },
  ])
  const shared = Object.entries(document.components.responses).map(([name, { content }]) => ({
    place: ['components', 'responses', name],
    content,
  }))
  const webhooks = Object.entries(document.webhooks).map(([name, { post }]) => ({
    place: ['webhooks', name, 'post', 'requestBody'],
    content: post.requestBody?.content,
  }))
  const withJson = [...bodies, ...shared, ...webhooks].filter(({ content }) => jsonOf(content) !== undefined)

  test.each(withJson.map((one) => ({ ...one, name: one.place.join(' ') })))(
    '$name fit their schema',
    ({ place, content, name }) => {
      const values = valuesOf(jsonOf(content)?.examples)
      if (!name.includes('/openapi.json get responses 200')) expect(values.length).toBeGreaterThan(0)
      for (const value of values) {
        expect(faultsOf(value, ...place, 'content', 'application/json', 'schema')).toEqual([])
      }
    },
  )

  test('leave no header out', () => {
    const used = JSON.stringify([document.paths, document.webhooks, document.components.responses])
    for (const name of Object.keys(headers)) expect(used).toContain(`#/components/headers/${name}"`)
  })
})

function lint(file: string) {
  const cli = join(import.meta.dirname, '../../../node_modules/.bin/redocly')
  const config = join(import.meta.dirname, 'redocly.yaml')
  const { status, stdout, stderr } = spawnSync(cli, ['lint', '--config', config, file], {
    encoding: 'utf8',
    timeout: 45_000,
    // It must talk to nobody.
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  return { status, output: `${stdout}${stderr}` }
}
