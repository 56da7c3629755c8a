import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generateApi } from 'swagger-typescript-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makeCatalog, makePartner, products } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'

const modules = join(import.meta.dirname, '../../../node_modules')
const scratch = mkdtempSync(join(tmpdir(), 'typed-client-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const run = promisify(execFile)
const database = testDatabase()
const api = testApi(() => database.url)
let key = ''

/** A partner's program against the generated client: it places an order, reads it, and asks in vain for another. */
const program = (productId: string) => `
import { Api } from './client.ts'

const api = new Api({
  baseUrl: process.env.BASE_URL ?? '',
  baseApiParams: { headers: { 'X-Api-Key': process.env.API_KEY ?? '' } },
})
const placed = await api.b2B.placeOrder({
  externalOrderId: 'typed-1',
  items: [{ productId: ${productId}, deliveryData: { gameUserId: '12345' } }],
})
const code: string = placed.data.data.code
const read = await api.b2B.getOrder(code)
const outcome: 'full' | 'partial' | 'none' | null = read.data.data.outcome
const keys: string[] = read.data.data.items.flatMap(({ cdKeys = [] }) => cdKeys.map((key) => key.code))
const refused = await api.b2B.getProduct('999').catch((answer) => answer)
const total = read.data.data.totalAmount
console.log(JSON.stringify({ status: placed.status, total, outcome, keys, refused: refused.error.code }))
`

beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
  key = (await makePartner(database.sql)).key
  const { json } = await api().get('/openapi.json', { key })
  const { files } = await generateApi({ spec: json, output: false, silent: true, generateUnionEnums: true })
  writeFileSync(join(scratch, 'package.json'), '{"type":"module"}')
  writeFileSync(join(scratch, 'client.ts'), files[0]?.fileContent ?? '')
  writeFileSync(join(scratch, 'order.ts'), program(String(products.topUp)))
  writeFileSync(join(scratch, 'wrong.ts'), program("'no number'"))
})

const compile = (file: string) =>
  run(join(modules, '.bin/tsc'), [
    ...['--ignoreConfig', '--strict', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable', '--module', 'nodenext'],
    ...['--typeRoots', join(modules, '@types'), '--types', 'node', '--rewriteRelativeImportExtensions'],
    ...['--outDir', join(scratch, 'out'), join(scratch, file)],
  ])

describe('a client that is generated from the document', () => {
  test('compiles, and places an order', async () => {
    await compile('order.ts')
    writeFileSync(join(scratch, 'out/package.json'), '{"type":"module"}')
    const { stdout } = await run(process.execPath, [join(scratch, 'out/order.js')], {
      env: { ...process.env, BASE_URL: api().url, API_KEY: key },
    })
    expect(JSON.parse(stdout)).toEqual({
      ...{ status: 201, total: 10.5, outcome: null, keys: [], refused: 'PRODUCT_NOT_FOUND' },
    })
  })

  test('finds a wrong type before anything is sent', async () => {
    const failure = await compile('wrong.ts').catch((error) => error)
    expect(failure.stdout).toMatch(/wrong\.ts.*TS2322.*'string' is not assignable to type 'number'/)
  })
})
