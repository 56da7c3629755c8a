import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/site/openapi/document.ts'
import type { ApiDocument } from '../../src/site/reference/api_document.ts'
import { renderReference } from '../../src/site/reference/render.ts'
import { textOf } from './html_text.ts'

const addresses = { base: '', address: 'http://127.0.0.1:3000' }
const document: ApiDocument = openApiDocument()
const page = renderReference(document, addresses)

const operations = [
  ...Object.values(document.paths).flatMap((methods) => Object.values(methods)),
  ...Object.values(document.webhooks).map(({ post }) => post),
]

function sectionOf(html: string, id: string): string {
  const from = html.indexOf(`<section class="operation" id="${id}"`)
  expect(from, id).toBeGreaterThan(-1)
  return html.slice(from, html.indexOf('</section>', from))
}

function fieldsIn(html: string): Set<string> {
  const names = [...html.matchAll(/class="field-name"[^>]*>([^<]*)</g)].map(([, name = '']) => name)
  return new Set(names)
}

/** The names of all properties that a schema can have, on whatever level. */
function propertiesOf(schema: unknown, within: string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if ('$ref' in schema) {
    const name = String(schema.$ref).split('/').at(-1) ?? ''
    return within.includes(name) ? [] : propertiesOf(document.components.schemas[name], [...within, name])
  }
  const own = 'properties' in schema ? Object.keys(Object(schema.properties)) : []
  const parts = Object.entries(schema).flatMap(([key, part]) =>
    key === 'properties' ? Object.values(Object(part)) : [part],
  )
  return [...own, ...parts.flatMap((part) => propertiesOf(part, within))]
}

describe('the reference', () => {
  test.each(operations)('shows $operationId with everything it takes and answers', (operation) => {
    const section = sectionOf(page, operation.operationId)
    const parameters = (operation.parameters ?? []).map(({ name }) => name)
    const good = Object.entries(operation.responses).filter(([status]) => /^2/.test(status))
    const bodies = [operation.requestBody, ...good.map(([, response]) => response)]
    const properties = bodies.flatMap((body) =>
      Object.values(Object(Object(body).content)).flatMap((media) => propertiesOf(Object(media).schema)),
    )
    const missing = [...parameters, ...properties].filter((name) => !fieldsIn(section).has(name))
    expect(missing).toEqual([])
    for (const [status, response] of Object.entries(operation.responses)) {
      const place = '$ref' in response ? response.$ref.split('/').at(-1) : undefined
      const expected = place ? `href="#response-${place}"` : `id="${operation.operationId}-${status}"`
      expect(section).toContain(expected)
    }
  })

  test('shows every header, and every code and body of errors', () => {
    const errors = page.slice(page.indexOf('id="errors"'))
    for (const name of Object.keys(document.components.headers)) {
      expect(errors).toContain(`id="header-${name}"`)
    }
    for (const name of Object.keys(document.components.responses)) {
      expect(errors).toContain(`id="response-${name}"`)
    }
    for (const model of ['AuthenticationError', 'OriginError', 'BusinessError', 'BalanceError', 'PriceError']) {
      expect(errors).toContain(`id="model-${model}"`)
      const lost = propertiesOf(document.components.schemas[model]).filter((name) => !fieldsIn(errors).has(name))
      expect(lost).toEqual([])
    }
    const codes = [...JSON.stringify(document).matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => code)
    for (const code of codes) expect(errors).toContain(`id="error-${code}"`)
  })

  test('begins with what concerns partners', () => {
    const places = ['authentication', 'catalog', 'orders', 'results', 'balance', 'webhooks', 'simulation']
    const all = [...places, 'errors', 'suppliers', 'documents', 'health'].map((id) => page.indexOf(`<h2 id="${id}"`))
    expect(Math.min(...all)).toBeGreaterThan(-1)
    expect(all).toEqual(all.toSorted((one, other) => one - other))
  })

  test('has no two places with one name, and no link that leads nowhere', () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const known = new Set(ids)
    const links = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id)
    expect(links.filter((id) => !known.has(id))).toEqual([])
  })
})

describe('the samples', () => {
  const samples = operations.flatMap(({ operationId }) => {
    const panels = [
      ...sectionOf(page, operationId).matchAll(/data-label="(curl|TypeScript|Python)"[\s\S]*?<pre>([\s\S]*?)<\/pre>/g),
    ]
    return panels.map(([, language, html = '']) => ({ operationId, language, text: textOf(html) }))
  })
  const of = (wanted: string) => samples.filter(({ language }) => language === wanted)

  test('are there in three languages for every request of a program', () => {
    const pages = 2
    const requests = operations.length - Object.keys(document.webhooks).length - pages
    for (const language of ['curl', 'TypeScript', 'Python']) expect(of(language).length).toBe(requests)
  })

  test('are whole programs of their language', () => {
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
    for (const { text } of of('TypeScript')) expect(() => new AsyncFunction(text), text).not.toThrow()
    for (const { text } of of('curl')) {
      const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })
      expect(status, `${text}\n${stderr}`).toBe(0)
    }
  })

  test('send the document’s own examples', () => {
    const [example] = Object.values(
      document.paths['/b2b/orders']?.post?.requestBody?.content['application/json']?.examples ?? {},
    )
    const sample = of('curl').find(({ operationId }) => operationId === 'placeOrder')
    const [, body = ''] = /-d '([^']*)'/.exec(sample?.text ?? '') ?? []
    expect(JSON.parse(body)).toEqual(example?.value)
  })

  test('name the key by its variable', () => {
    const withKey = of('curl').filter(({ text }) => text.includes('X-Api-Key: $API_KEY'))
    expect(withKey.length).toBeGreaterThan(10)
    expect(page).not.toMatch(/svc_(?:live|test)_[0-9a-f]{8}/)
  })
})

describe('a document', () => {
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'&'
  const withEverywhere = (text: string): ApiDocument => {
    const schema = {
      type: 'object' as const,
      description: text,
      properties: {
        [text]: { type: 'string' as const, description: text, pattern: text, enum: [text], default: text },
      },
    }
    return {
      info: { title: text, description: text },
      servers: [{ url: '/' }],
      security: [{ key: [] }],
      tags: [{ name: 'Orders', description: text }],
      paths: {
        '/<script>': {
          post: {
            operationId: 'hostile',
            tags: ['Orders'],
            summary: text,
            description: text,
            parameters: [{ name: text, in: 'header', required: true, description: text, example: text, schema }],
            requestBody: {
              required: true,
              description: text,
              content: {
                'application/json': { schema, examples: { [text]: { summary: text, value: { [text]: text } } } },
              },
            },
            responses: {
              200: { description: text, content: { [text]: { schema, examples: { [text]: { value: text } } } } },
              400: {
                description: text,
                headers: { [text]: { $ref: '#/components/headers/X' } },
                content: {
                  'application/json': { schema, examples: { [text]: { value: { code: text, error: text } } } },
                },
              },
            },
          },
        },
      },
      webhooks: {},
      components: {
        schemas: {},
        responses: {},
        headers: { X: { description: text, schema: { type: 'string', pattern: text } } },
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: text, description: text } },
      },
    }
  }

  test('can put no markup into the page', () => {
    const html = renderReference(withEverywhere(hostile), addresses)
    expect(html).toContain('&lt;script&gt;')
    expect(html).not.toMatch(/<script|<img src=x/)
    // What is left of tags once the known ones are taken away.
    expect(
      html.replace(/<(\/?[a-z][a-z0-9]*)((?:\s[a-z-]+(?:="[^"<>]*")?)*)>/g, '').replace(/<!doctype html>/, ''),
    ).not.toMatch(/[<>]/)
  })

  test('can put no address of a script behind a link', () => {
    expect(() => renderReference(withEverywhere('[here](javascript:alert(1))'), addresses)).toThrow('leads nowhere')
  })

  test('says what may be null, what is one of several, and what else limits a field', () => {
    const calm = withEverywhere('x')
    const { post } = calm.paths['/<script>'] ?? {}
    if (post?.requestBody?.content['application/json'] === undefined) throw new Error('the document has changed')
    post.requestBody.content['application/json'].schema = {
      type: 'object',
      required: ['amount'],
      properties: {
        amount: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
        note: { type: ['string', 'null'], maxLength: 5 },
        way: {
          oneOf: [
            { type: 'object', properties: { road: { const: 'A1' } } },
            { type: 'object', properties: { sea: { enum: ['N', 'S'] } } },
          ],
        },
        list: { type: 'array', minItems: 1, items: { type: 'string', maxLength: 7 } },
      },
    }
    const text = textOf(sectionOf(renderReference(calm, addresses), 'hostile'))
    for (const words of [
      ...['amount integer required', '1 to 9 · default 1', 'note string or null', 'at most 5 characters'],
      ...['Either', 'always A1', 'Or', 'one of N, S', 'array of strings', 'each at most 7 characters'],
    ]) {
      expect(text).toContain(words)
    }
  })
})
