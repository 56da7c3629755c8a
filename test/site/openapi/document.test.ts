import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { errorNames, errorOf } from '../../../src/http/errors.ts'
import { apiRoutes } from '../../../src/http/routes/routes.ts'
import { headers } from '../../../src/site/openapi/headers.ts'
import { siteRoutes } from '../../../src/site/routes.ts'
import { document, jsonOf, operations, resolve, valuesOf } from '../../support/openapi/document.ts'
import { faultsOf } from '../../support/openapi/fits.ts'

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

  // Generated clients require a field that has a default.
  test('has no default in the body of a request', () => {
    expect(JSON.stringify(document.components.schemas)).not.toContain('"default"')
  })

  test.each(['/reference', '/docs'])('says that a browser without a key or password gets a page at %s', (path) => {
    const { 401: refused } = (
      document.paths[path] as { get: { responses: { [status: string]: { content?: object } } } }
    ).get.responses
    expect(Object.keys(refused?.content ?? {})).toEqual(['application/json', 'text/html'])
  })

  test('has an id for each operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('each route is described, except the parts of the pages', () => {
  const parts = [...apiRoutes, ...siteRoutes].filter(({ id }) => id === undefined)
  expect(parts.map(({ path }) => path)).toEqual([
    ...['/docs/search.json', '/docs/:page', '/docs/:folder/:file', '/assets/:file'],
  ])
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
