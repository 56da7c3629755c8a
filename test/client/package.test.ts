import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientTypes } from '../../src/site/openapi/generate_client_types.ts'
import { installClient, oldestNode } from '../support/client_package.ts'
import { testDatabase } from '../support/database.ts'
import { makePartner, products } from '../support/partner.ts'
import { testApi } from '../support/service.ts'
import { scriptedClient } from './scripted_fetch.ts'

const run = promisify(execFile)
const checkout = join(import.meta.dirname, '../..')
const source = join(checkout, 'src/client')
const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
const database = testDatabase({ catalog: true })
const api = testApi(() => database.url)

const scratch = mkdtempSync(join(tmpdir(), 'client-package-'))
const partner = join(scratch, 'partner')
const installed = join(partner, 'node_modules/supply-ordering-client')
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const plainProgram = `
import { SupplyClient, isRefused, verifyWebhook } from 'supply-ordering-client'

const client = new SupplyClient({ baseUrl: process.argv[2], apiKey: process.argv[3] })
const items = [{ productId: ${products.topUp}, deliveryData: { gameUserId: '12345' } }]
const order = await client.placeOrder({ externalOrderId: 'plain-1', items })
const codes = []
for await (const { code } of client.orders()) codes.push(code)
const error = await client.product(999).catch((error) => error)
const verdict = verifyWebhook({ secret: 'f'.repeat(64), headers: {}, rawBody: new Uint8Array() })
console.log(JSON.stringify({
  found: codes.includes(order.code), total: order.totalAmount, verdict, refused: isRefused(error, 'PRODUCT_NOT_FOUND'),
}))
`

const typedProgram = (productId: string) => `
import { isRefused, type OrderRequest, SupplyClient, type WebhookVerdict, verifyWebhook } from 'supply-ordering-client'

const client = new SupplyClient({ baseUrl: 'https://supply.example', apiKey: 'key' })
const request: OrderRequest = { externalOrderId: 'typed-1', items: [{ productId: ${productId} }] }
export const outcome: 'full' | 'partial' | 'none' | null = (await client.placeOrder(request)).outcome
export const missing = (error: unknown): number =>
  isRefused(error, 'INSUFFICIENT_BALANCE') ? error.body.details.required : 0
export const eventOf = (verdict: WebhookVerdict): string =>
  !verdict.ok ? verdict.reason : verdict.event?.event_type === 'order.failed' ? verdict.event.data.error : ''
export const status = (rawBody: Uint8Array) => verifyWebhook({ secret: '', headers: new Headers(), rawBody }).ok
`

beforeAll(() => installClient(scratch))

describe('the package', () => {
  test('contains the built files and no dependency', () => {
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
    const modules = readdirSync(source).filter((file) => file.endsWith('.ts'))
    const built = modules.flatMap((file) => [file.replace(/ts$/, 'd.ts'), file.replace(/ts$/, 'js')])
    expect(readdirSync(join(installed, 'dist')).sort()).toEqual(built.sort())
    expect(Object.keys(manifest).filter((field) => field.toLowerCase().includes('dependencies'))).toEqual([])
    const foreign = modules.flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/from '(?!\.\/|node:)[^']*'/g)].map(String),
    )
    expect(foreign).toEqual([])
  })

  test('orders from a plain program, on the oldest Node that is here', async () => {
    const { key } = await makePartner(database.sql)
    writeFileSync(join(partner, 'program.js'), plainProgram)
    const { stdout } = await run(oldestNode(), [join(partner, 'program.js'), api().url, key])
    expect(JSON.parse(stdout)).toEqual({
      found: true,
      total: 10.5,
      verdict: { ok: false, status: 401, reason: 'no X-Webhook-Signature' },
      refused: true,
    })
  })

  test('has types, which find a wrong one', async () => {
    symlinkSync(join(checkout, 'node_modules/@types'), join(partner, 'node_modules/@types'))
    writeFileSync(join(partner, 'right.ts'), typedProgram(String(products.topUp)))
    writeFileSync(join(partner, 'wrong.ts'), typedProgram("'no number'"))
    const compile = (file: string) =>
      run(join(checkout, 'node_modules/.bin/tsc'), [
        ...['--ignoreConfig', '--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2022'],
        ...['--module', 'nodenext', '--lib', 'es2023', '--types', 'node', join(partner, file)],
      ])
    await compile('right.ts')
    const failure = await compile('wrong.ts').catch((error) => error)
    expect(failure.stdout).toMatch(/wrong\.ts.*TS2322.*'string' is not assignable to type 'number'/)
  })

  test('sends its version to the service', async () => {
    const { client, sent } = scriptedClient([{ status: 200, json: { success: true, data: {} } }])
    await client.balance()
    expect(sent[0]?.headers.get('user-agent')).toBe(`${manifest.name}/${manifest.version}`)
  })

  test('has the types of the present document', () => {
    expect(readFileSync(join(source, 'types.ts'), 'utf8')).toBe(clientTypes())
  })
})
