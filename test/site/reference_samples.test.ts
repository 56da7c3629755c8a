import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { makeCatalog, makePartner } from '../support/partner.ts'
import { testApi } from '../support/service.ts'
import { textOf } from './html_text.ts'

const database = testDatabase({ catalog: true })
const api = testApi(() => database.url)
const run = promisify(execFile)

let key = ''
let page = ''
beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:1', token: 't' })
  const fields = database.sql.json([])
  await database.sql`select ops.upsert_product(112, 'space-trader', 'A key', 790, 'RUB', 'key', ${fields})`
  await database.sql`select ops.upsert_offer(112, 'first', 'sku-112')`
  key = (await makePartner(database.sql, { balance: 2_000 })).key
  page = (await api().get(`/reference?key=${key}`)).text
})

/** A sample of the page, as one copies it from there. */
function sample(operation: string, language: string): string {
  const section = page.slice(page.indexOf(`<section class="operation" id="${operation}"`))
  const panel = section.slice(section.indexOf(`data-label="${language}"`))
  return textOf(panel.slice(panel.indexOf('<pre>'), panel.indexOf('</pre>')))
}

const languages = [
  { language: 'curl', command: 'sh', given: ['-c'], probe: ['curl', '--version'] },
  {
    language: 'TypeScript',
    command: process.execPath,
    given: ['--input-type=module-typescript', '-e'],
    probe: [process.execPath, '-v'],
  },
  { language: 'Python', command: 'python3', given: ['-c'], probe: ['python3', '-V'] },
]

describe.each(languages)('the samples in $language', ({ language, command, given, probe }) => {
  const [program = '', ...options] = probe
  const isThere = spawnSync(program, options).status === 0

  test.runIf(isThere)('do what they show, with nothing but the key', async () => {
    const env = { PATH: process.env.PATH, API_KEY: key }
    const start = async (operation: string) =>
      (await run(command, [...given, sample(operation, language)], { env })).stdout
    expect(await start('listGames')).toContain('slug')
    expect(await start('placeOrder')).toContain('shop-1001')
    expect(await start('getBalance')).toContain('inOrders')
    expect(await start('getOpenApi')).toContain('openapi')
  })
})
