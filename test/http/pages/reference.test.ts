import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makePartner } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'
import { describeInChromium, overflowOf, type Watched } from './chromium.ts'

const database = testDatabase()
const api = testApi(() => database.url)
let key = ''
beforeAll(async () => {
  key = (await makePartner(database.sql)).key
})

const narrow = { viewport: { width: 390, height: 844 } }
const wide = { viewport: { width: 1200, height: 900 } }
const placeOrder = '#operations-Orders-placeOrder'

describeInChromium('/reference in a browser', (open) => {
  async function openReference(options: Parameters<typeof open>[0] = wide): Promise<Watched> {
    const watched = await open(options)
    await watched.page.goto(`${api().url}/reference?key=${key}`)
    await watched.page.waitForSelector(placeOrder)
    return watched
  }

  test('shows every operation and every webhook, and nothing to complain about', async () => {
    const { page, requests, complaints } = await openReference()
    const { paths, webhooks } = (await api().get('/openapi.json', { key })).json
    const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
      Object.keys(Object(methods)),
    )
    expect(await page.locator('.opblock').count()).toBe(operations.length)
    for (const path of Object.keys(paths)) {
      expect(await page.locator(`[data-path="${path}"]`).count()).toBeGreaterThan(0)
    }
    expect(complaints).toEqual([])
    expect(new Set(requests.map(({ url }) => new URL(url).origin))).toEqual(new Set([api().url]))
  })

  test('opens an operation with its parameters, examples, errors and headers', async () => {
    const { page, complaints } = await openReference()
    await page.locator(`${placeOrder} .opblock-summary-control`).click()
    const operation = page.locator(placeOrder)
    await operation.locator('.responses-table').waitFor()
    const text = await operation.innerText()
    for (const word of ['X-Idempotency-Key', 'externalOrderId', '201', '402', '503'])
      expect(text).toContain(word)
    await operation.locator('summary').first().click()
    expect(await operation.locator('table.headers').first().innerText()).toContain('X-RateLimit-Remaining')
    await operation.getByRole('tab', { name: 'Schema' }).first().click()
    await operation.locator('.json-schema-2020-12').first().waitFor()
    expect(complaints).toEqual([])
  })

  test('offers no way to send anything', async () => {
    const { page } = await openReference()
    await page.locator(`${placeOrder} .opblock-summary-control`).click()
    await page.locator(`${placeOrder} .responses-table`).waitFor()
    expect(await page.getByRole('button', { name: /try it out|authorize|execute/i }).count()).toBe(0)
  })

  test('leaves the key nowhere: not in the address bar, the history, a referrer or a further request', async () => {
    const { page, requests } = await openReference()
    expect(page.url()).toBe(`${api().url}/reference`)
    const [first, ...others] = requests
    expect(first?.url).toContain(key)
    expect(JSON.stringify(others)).not.toContain(key)
    expect(others.map(({ referrer = '' }) => referrer).join('')).toBe('')
    expect(await page.content()).not.toContain(key)
    await page.locator(`${placeOrder} .opblock-summary-control`).click()
    await page.goto('about:blank')
    await page.goBack()
    expect(page.url()).toMatch(/\/reference(#.*)?$/)
    expect(JSON.stringify(api().records)).not.toContain(key)
  })

  test('fits a narrow screen, closed and opened', async () => {
    const { page, complaints } = await openReference(narrow)
    expect(await overflowOf(page)).toBe(0)
    for (const id of ['#operations-Catalog-listProducts', placeOrder, '#operations-Orders-listOrders']) {
      await page.locator(`${id} .opblock-summary-control`).click()
      await page.locator(`${id} .responses-table`).waitFor()
      await page.locator(`${id} summary`).first().click()
    }
    await page.locator(placeOrder).getByRole('tab', { name: 'Schema' }).first().click()
    expect(await overflowOf(page)).toBe(0)
    expect(complaints).toEqual([])
  })

  test('can be used without a mouse', async () => {
    const { page } = await openReference()
    const focused = (selector: string) =>
      page.evaluate(`document.activeElement?.matches('${selector}') ?? false`)
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 100 && !(await focused(selector)); presses += 1) {
        await page.keyboard.press('Tab')
      }
      expect(await focused(selector)).toBe(true)
    }
    await tabTo(`${placeOrder} .opblock-summary-control`)
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    expect(outline).not.toBe('none')
    await page.keyboard.press('Enter')
    await page.locator(`${placeOrder} .responses-table`).waitFor()
    await tabTo(`${placeOrder} summary`)
    await page.keyboard.press('Enter')
    await page.locator(`${placeOrder} details[open]`).first().waitFor()
  })

  test('is dark where the reader likes it dark', async () => {
    const { page, complaints } = await openReference({ ...wide, colorScheme: 'dark' })
    const [red = 255] =
      String(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
        .match(/\d+/g)
        ?.map(Number) ?? []
    expect(red).toBeLessThan(60)
    expect(complaints).toEqual([])
  })
})
