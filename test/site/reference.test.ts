import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { makeCatalog, makePartner, products } from '../support/partner.ts'
import { testApi } from '../support/service.ts'
import { describeInChromium, narrow, overflowOf, seriousIn, type Watched, wide } from './chromium.ts'

const database = testDatabase({ catalog: true })
const api = testApi(() => database.url)
let key = ''
beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 't' })
  key = (await makePartner(database.sql, { mode: 'test' })).key
})

describeInChromium('/reference in a browser', (open) => {
  async function openReference(options = wide, place = '', isKept = false): Promise<Watched> {
    const watched = await open(options, { isKept })
    await watched.page.goto(`${api().url}/reference?key=${key}${place}`)
    return watched
  }

  const topOf = (page: Page, id: string) =>
    page.evaluate(`Math.round(document.getElementById('${id}').getBoundingClientRect().top)`)
  const operation = (page: Page, id: string) => page.locator(`section[id="${id}"]`)

  // It is a large page: these tests read one together.
  describe('on a wide screen', () => {
    let watched: Watched
    let page: Page
    beforeAll(async () => {
      watched = await openReference(wide, '', true)
      page = watched.page
    })

    test('shows every operation and every webhook, and nothing to complain about', async () => {
      const { requests, complaints } = watched
      const { paths, webhooks } = (await api().get('/openapi.json', { key })).json
      const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
        Object.values<{ operationId: string }>(Object(methods)),
      )
      const shown = await page.evaluate('[...document.querySelectorAll("section[id]")].map(({ id }) => id)')
      expect((shown as string[]).toSorted()).toEqual(operations.map((one) => one.operationId).toSorted())
      const linked = await page.locator('.contents a[data-address]').count()
      expect(linked).toBe(operations.length)
      expect(complaints).toEqual([])
      expect(new Set(requests.map(({ url }) => new URL(url).origin))).toEqual(new Set([api().url]))
      expect(await operation(page, 'getBalance').innerText()).toContain(`${api().url}/b2b/balance`)
    })

    test('opens at the place that a link names, an operation or a field of it', async () => {
      for (const place of ['getOrder', 'listResults-query-limit', 'error-PRICE_CHANGED']) {
        await page.goto(`${api().url}/reference#${place}`)
        await expect.poll(() => topOf(page, place)).toBeLessThan(200)
        expect(await topOf(page, place)).toBeGreaterThanOrEqual(0)
      }
    })

    test('finds operations, fields, codes and chapters as one types, without a request', async () => {
      const { requests, complaints } = watched
      const options = page.getByRole('option')
      const firstAddress = () => options.first().getAttribute('href')
      await page.getByRole('combobox').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('transactions')
      await expect.poll(firstAddress).toBe('#listTransactions')
      const box = page.getByRole('combobox')
      for (const [query, address] of [
        ['price_changed', '#error-PRICE_CHANGED'],
        ['maxprice', '#placeOrder-body-items-maxPrice'],
        ['transactoins', '#listTransactions'],
        ['post orders', '#placeOrder'],
        ['authentication', '#authentication'],
      ] as const) {
        await box.fill(query)
        await expect.poll(firstAddress, { message: query }).toBe(address)
      }
      await page.keyboard.press('Enter')
      await page.waitForURL('**/reference#authentication')
      await box.fill('qqqqqqqq')
      await expect.poll(() => page.getByRole('status').innerText()).toBe('Nothing found')
      await page.keyboard.press('Escape')
      expect(await box.inputValue()).toBe('')
      expect(complaints).toEqual([])
      expect(JSON.stringify(requests.slice(1))).not.toContain(key)
    })

    test('has tabs that the keyboard moves, and one language for all requests', async () => {
      const request = operation(page, 'placeOrder').locator('.box').first()
      await request.getByRole('tab', { name: 'curl' }).focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      expect(await request.getByRole('tab', { name: 'Python' }).getAttribute('aria-selected')).toBe('true')
      expect(await request.getByRole('tabpanel').innerText()).toContain('urllib.request')
      const other = operation(page, 'getBalance').locator('.box').first()
      expect(await other.getByRole('tabpanel').innerText()).toContain('urllib.request')
      await page.keyboard.press('Home')
      expect(await request.getByRole('tabpanel').innerText()).toContain('curl -sS')
      const responses = operation(page, 'placeOrder').locator('.box').nth(1)
      await responses.getByRole('tab', { name: '402' }).click()
      expect(await responses.getByRole('tabpanel').innerText()).toContain('INSUFFICIENT_BALANCE')
    })

    test('sends requests with the key that opened it: reads, and simulated orders', async () => {
      const tryIt = (id: string) => operation(page, id).locator('.try')
      const send = async (id: string) => {
        await tryIt(id).getByRole('button', { name: 'Send' }).click()
        return tryIt(id).getByRole('status')
      }
      for (const id of ['getBalance', 'getProduct', 'listGames', 'simulateOrder']) {
        await tryIt(id).locator('summary').click()
      }
      await expect.poll(async () => (await send('getBalance')).innerText()).toBe('200 OK')
      expect(await tryIt('getBalance').locator('code').innerText()).toContain('"balance": 1000.00')
      await tryIt('getProduct').getByLabel('id').fill(String(products.topUp))
      await expect.poll(async () => (await send('getProduct')).innerText()).toBe('200 OK')
      await tryIt('listGames').getByLabel('updatedSince').fill('2999-01-01')
      await expect.poll(async () => (await send('listGames')).innerText()).toBe('200 OK')
      const body = {
        externalOrderId: 'try-1',
        items: [{ productId: products.topUp, deliveryData: { gameUserId: '1' } }],
      }
      await tryIt('simulateOrder').getByLabel('Body').fill(JSON.stringify(body))
      await expect.poll(async () => (await send('simulateOrder')).innerText()).toMatch(/^20[01]/)
      expect(await tryIt('placeOrder').count()).toBe(0)
      expect(watched.complaints).toEqual([])
    })

    // The other sections are made of the same parts, and axe takes seconds for all of them.
    const shorten = `document.querySelector('.contents').open = true
      const kept = '#content > section:first-child, #placeOrder, #getBalance, #simulateOrder, #orderCompleted, [aria-labelledby=errors]'
      for (const section of document.querySelectorAll('section')) {
        if (section.querySelector(kept) === null && section.closest(kept) === null) section.remove()
      }
      for (const part of document.querySelectorAll('.contents li:nth-child(n+4), tr:nth-child(n+4)')) part.remove()
      for (const [most, selector] of [[20, '.field'], [6, '.box']])
        [...document.querySelectorAll(selector)].slice(most).forEach((part) => part.remove())`

    test('has no violation that axe calls serious, as the form for a key has none: wide and light, narrow and dark', async () => {
      await page.evaluate(shorten)
      const form = (await open()).page
      await form.goto(`${api().url}/reference?key=wrong`)
      for (const { viewport, colorScheme } of [
        { ...wide, colorScheme: 'light' },
        { ...narrow, colorScheme: 'dark' },
      ] as const) {
        for (const one of [page, form]) {
          await one.setViewportSize(viewport)
          await one.emulateMedia({ colorScheme })
          expect(await seriousIn(one, ['body']), `${one.url()} ${colorScheme}`).toEqual([])
        }
        const colour = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
        const [red = 255] = colour.match(/\d+/g)?.map(Number) ?? []
        expect(red < 60).toBe(colorScheme === 'dark')
      }
    })
  })

  test('leaves the key nowhere: not in the address bar, the history, a referrer or a further request', async () => {
    const { page, requests } = await openReference(wide, '#placeOrder')
    expect(page.url()).toBe(`${api().url}/reference#placeOrder`)
    const [first, ...others] = requests
    expect(first?.url).toContain(key)
    expect(JSON.stringify(others)).not.toContain(key)
    expect(others.map(({ referrer = '' }) => referrer).join('')).toBe('')
    expect(await page.content()).not.toContain(key)
    await page.goto('about:blank')
    await page.goBack()
    expect(page.url()).toMatch(/\/reference(#.*)?$/)
    expect(JSON.stringify(api().records)).not.toContain(key)
  })

  test('is whole without JavaScript, and then offers no search', async () => {
    const { page } = await open({ ...narrow, javaScriptEnabled: false })
    await page.goto(`${api().url}/reference?key=${key}`)
    const section = operation(page, 'placeOrder')
    for (const text of ['curl -sS', 'await', 'urllib.request', 'INSUFFICIENT_BALANCE']) {
      expect(await section.getByText(text).first().isVisible(), text).toBe(true)
    }
    expect(await page.getByRole('combobox').count()).toBe(0)
  })

  test('fits a narrow screen, with its contents folded until they are asked for', async () => {
    const { page, complaints } = await openReference(narrow)
    expect(await overflowOf(page)).toBe(0)
    const link = page.locator('.contents').getByRole('link', { name: 'Place an order' })
    expect(await link.isVisible()).toBe(false)
    await page.locator('.contents summary').click()
    expect(await overflowOf(page)).toBe(0)
    await link.click()
    await page.waitForURL('**/reference#placeOrder')
    expect(await link.isVisible()).toBe(false)
    const bar = await page.locator('.contents').boundingBox()
    await expect.poll(() => topOf(page, 'placeOrder')).toBeLessThan(200)
    expect(await topOf(page, 'placeOrder')).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0))
    expect(complaints).toEqual([])
  })

  test('asks for the key where it was not given, and opens at the place that was meant', async () => {
    const { page, complaints } = await open(narrow)
    const answer = await page.goto(`${api().url}/reference#placeOrder`)
    expect(answer?.status()).toBe(401)
    expect(await overflowOf(page)).toBe(0)
    await page.getByLabel('API key').fill('svc_live_wrong')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('alert').waitFor()
    expect(page.url()).toBe(`${api().url}/reference#placeOrder`)
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
    await operation(page, 'placeOrder').waitFor()
    expect(page.url()).toBe(`${api().url}/reference#placeOrder`)
    // Chromium tells of each status of 400 and above.
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([])
  })

  test('opens at the place that was meant before the scripts of the form are there', async () => {
    const { page } = await open(wide)
    await page.route('**/assets/reference.js', () => {})
    await page.goto(`${api().url}/reference#placeOrder`, { waitUntil: 'commit' })
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
    await operation(page, 'placeOrder').waitFor()
    expect(page.url()).toBe(`${api().url}/reference#placeOrder`)
  })
})
