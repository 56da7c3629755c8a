import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generateApi } from 'swagger-typescript-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makePartner, products } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'

const modules = join(import.meta.dirname, '../../../node_modules')
const scratch = mkdtempSync(join(tmpdir(), 'typed-client-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const run = promisify(execFile)
const database = testDatabase({ catalog: true })
const api = testApi(() => database.url)
let key = ''

type Generator = {
  name: string
  generate: (folder: string, document: object) => Promise<unknown>
  /** A partner's program against the generated client: it places an order, reads it, and asks in vain for another. */
  program: (productId: string) => string
}

const read = `
  const outcome: 'full' | 'partial' | 'none' | null = order.outcome
  const keys: string[] = order.items.flatMap(({ cdKeys = [] }) => cdKeys.map((key) => key.code))`
const items = (productId: string) => `[{ productId: ${productId}, deliveryData: { gameUserId: '12345' } }]`

const generators: Generator[] = [
  {
    name: 'swagger-typescript-api',
    async generate(folder, document) {
      const spec = document as Parameters<typeof generateApi>[0]['spec']
      const { files } = await generateApi({ spec, output: false, silent: true, generateUnionEnums: true })
      writeFileSync(join(folder, 'client.ts'), files[0]?.fileContent ?? '')
    },
    program: (productId) => `
import { Api } from './client'

async function main() {
  const api = new Api({
    baseUrl: process.env.BASE_URL ?? '',
    baseApiParams: { headers: { 'X-Api-Key': process.env.API_KEY ?? '' } },
  })
  const placed = await api.b2B.placeOrder({ externalOrderId: 'swagger-1', items: ${items(productId)} })
  const code: string = placed.data.data.code
  const order = (await api.b2B.getOrder(code)).data.data${read}
  const refused = await api.b2B.getProduct('999').catch((answer) => answer)
  console.log(JSON.stringify({ total: order.totalAmount, outcome, keys, refused: refused.error.code }))
}
main()`,
  },
  {
    name: 'openapi-typescript-codegen',
    async generate(folder, document) {
      const input = join(folder, 'openapi.json')
      writeFileSync(input, JSON.stringify(document))
      const options = ['--input', input, '--output', join(folder, 'client'), '--useOptions', '--useUnionTypes']
      // Not .bin/openapi: another package has a program of this name.
      await run(process.execPath, [join(modules, 'openapi-typescript-codegen/bin/index.js'), ...options])
    },
    program: (productId) => `
import { ApiError, CatalogService, OpenAPI, OrdersService } from './client'

async function main() {
  OpenAPI.BASE = process.env.BASE_URL ?? ''
  OpenAPI.HEADERS = { 'X-Api-Key': process.env.API_KEY ?? '' }
  const placed = await OrdersService.placeOrder({
    requestBody: { externalOrderId: 'codegen-1', items: ${items(productId)} },
  })
  if (!('data' in placed)) throw new Error(placed.error)
  const answer = await OrdersService.getOrder({ code: placed.data.code })
  if (!('data' in answer)) throw new Error(answer.error)
  const order = answer.data${read}
  const refused: ApiError = await CatalogService.getProduct({ id: '999' }).catch((error) => error)
  console.log(JSON.stringify({ total: order.totalAmount, outcome, keys, refused: refused.body.code }))
}
main()`,
  },
]

let openApi: object
beforeAll(async () => {
  key = (await makePartner(database.sql)).key
  openApi = (await api().get('/openapi.json', { key })).json
})

const compile = (file: string) =>
  run(join(modules, '.bin/tsc'), [
    ...['--ignoreConfig', '--strict', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'],
    ...['--module', 'commonjs', '--moduleResolution', 'bundler'],
    ...['--typeRoots', join(modules, '@types'), '--types', 'node', file],
  ])

describe.each(generators)('a client that $name generates from the document', ({ name, generate, program }) => {
  const folder = join(scratch, name)
  beforeAll(async () => {
    mkdirSync(folder)
    await generate(folder, openApi)
    writeFileSync(join(folder, 'order.ts'), program(String(products.topUp)))
    writeFileSync(join(folder, 'wrong.ts'), program("'no number'"))
  })

  test('compiles, and places an order', async () => {
    await compile(join(folder, 'order.ts'))
    const { stdout } = await run(process.execPath, [join(folder, 'order.js')], {
      env: { ...process.env, BASE_URL: api().url, API_KEY: key },
    })
    expect(JSON.parse(stdout)).toEqual({ total: 10.5, outcome: null, keys: [], refused: 'PRODUCT_NOT_FOUND' })
  })

  test('finds a wrong type before anything is sent', async () => {
    const failure = await compile(join(folder, 'wrong.ts')).catch((error) => error)
    expect(failure.stdout).toMatch(/wrong\.ts.*TS2322.*'string' is not assignable to type 'number'/)
  })
})
