import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { describeInChromium } from '../../site/chromium.ts'
import { testDatabase } from '../../support/database.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'

const program = join(import.meta.dirname, '../../../docs/programs/product_page.ts')
const database = testDatabase({ catalog: true })
const api = testApi(() => database.url)
let partner: Partner

const image = 'https://img.example/pearls.png'
const description = '60 <b>pearls</b> & "more"\n<script>document.title = "taken"</script><img src=x onerror=alert(1)>'

beforeAll(async () => {
  const { sql } = database
  partner = await makePartner(sql)
  await sql`select ops.set_product_details(${products.topUp}, ${image}, 'Steam', '{DE,AT}')`
  await sql`select ops.set_product_text(${products.topUp}, 'ru', ${description}, 'В игре')`
  await sql`select ops.upsert_price_list('page')`
  await sql`select ops.set_list_price('page', ${products.topUp}, 10.00, 5)`
  await sql`select ops.set_list_price('page', ${products.topUp}, 9.50, 10)`
  await sql`select ops.set_account_list(${partner.accountId}, 'page')`
})

function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, BASE_URL: api().url, API_KEY: partner.key }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

test('the product page ends with a message where the product is unknown or not named', async () => {
  expect(await run('9999')).toMatchObject({ code: 1, stderr: expect.stringContaining('HTTP 404') })
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('usage') })
})

describeInChromium('the product page of the guide', (open) => {
  test('shows picture, texts and price tiers, and runs nothing that stands in a text', async () => {
    const { page, requests } = await open()
    const { stdout, code } = await run(String(products.topUp), 'ru')
    expect(code).toBe(0)
    await page.setContent(stdout)
    expect(await page.title()).toBe('100 credits')
    expect(await page.locator('.text').allTextContents()).toEqual([description, 'В игре'])
    expect(await page.locator('tr').allInnerTexts()).toEqual([
      'From\tPrice of one unit',
      '1\t10.50 RUB',
      '5\t10.00 RUB',
      '10\t9.50 RUB',
    ])
    expect(await page.locator('img').evaluateAll((all) => all.map((one) => one.getAttribute('src')))).toEqual([image])
    expect(await page.locator('body').innerText()).toContain('Steam · DE, AT · in stock')
    expect(requests.map(({ url }) => url).filter((url) => url.startsWith('http'))).toEqual([image])
    if (process.env.SCREENSHOT !== undefined) await page.screenshot({ path: process.env.SCREENSHOT })
  })
})
