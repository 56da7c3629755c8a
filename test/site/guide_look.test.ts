import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { guidePages } from '../../src/site/guide/pages.ts'
import { renderGuidePage } from '../../src/site/guide/render.ts'
import { document } from '../support/openapi/document.ts'
import { describeInChromium, narrow, overflowOf, seriousIn, wide } from './chromium.ts'
import { guideTests, httpCredentials } from './guide_tests.ts'

const { api, openGuide } = guideTests()

describeInChromium('the guide in a browser', (open) => {
  const tabs = (page: Page) => page.locator('.box', { hasText: 'verify' }).filter({ has: page.locator('.tabs') })

  describe('tabs', () => {
    test('are chosen in every box, and on the next page', async () => {
      const { page } = await openGuide(open, '/docs/webhooks')
      await tabs(page).first().getByRole('tab', { name: 'Python' }).click()
      const chosen = () => page.getByRole('tab', { selected: true }).allInnerTexts()
      const isOne = async () => new Set(await chosen())
      expect(await isOne()).toEqual(new Set(['Python']))
      await page.goto(`${api().url}/docs/first-webhook`)
      await page.goto(`${api().url}/docs/webhooks`)
      expect(await isOne()).toEqual(new Set(['Python']))
    })

    test('work where the browser keeps nothing', async () => {
      const { page, complaints } = await open({ ...wide, httpCredentials })
      await page.addInitScript(`Object.defineProperty(window, 'localStorage', { get() { throw new Error('kept') } })`)
      await page.goto(`${api().url}/docs/webhooks`)
      await tabs(page).first().getByRole('tab', { name: 'PHP' }).click()
      expect(await tabs(page).first().getByRole('tabpanel').innerText()).toContain('hash_equals')
      expect(complaints).toEqual([])
    })

    test('are blocks below each other without JavaScript, each under its name', async () => {
      const { page } = await openGuide(open, '/docs/webhooks', { ...narrow, javaScriptEnabled: false })
      const box = page.locator('.box', { hasText: 'hash_equals' })
      const names = ['TypeScript', 'Python', 'PHP', 'Go', 'Java']
      expect(await box.locator('.panel-name:visible').allInnerTexts()).toEqual(names)
      expect(await page.getByRole('tab').count()).toBe(0)
      expect(await overflowOf(page)).toBe(0)
      expect(await page.locator('.contents [aria-current=page]').innerText()).toBe('Webhooks')
    })
  })

  describe('copying', () => {
    const copyOf = (page: Page) => page.locator('.box', { hasText: 'export BASE_URL' }).locator('.copy').first()
    const heard = (page: Page) => page.locator('[aria-live]').innerText()

    test('puts what is shown into the clipboard, by keyboard, and says so', async () => {
      const { page } = await openGuide(open, '/docs')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await copyOf(page).focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => heard(page)).toBe('Copied')
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
        new RegExp(`^export BASE_URL=${api().url}\nexport API_KEY=svc_test_0+$`),
      )
    })

    test('works where the browser offers no clipboard', async () => {
      const { page, complaints } = await open({ ...wide, httpCredentials })
      await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })
        addEventListener('copy', ({ target }) => { window.copied = target.value })`)
      await page.goto(`${api().url}/docs`)
      await copyOf(page).click()
      await expect.poll(() => heard(page)).toBe('Copied')
      expect(await page.evaluate('window.copied')).toContain(`export BASE_URL=${api().url}\n`)
      expect(await page.evaluate('document.activeElement.className')).toBe('copy')
      expect(complaints).toEqual([])
    })
  })

  test('each page leads to the next, and back', async () => {
    const { page } = await openGuide(open, '/docs')
    await page.locator('.neighbours').getByRole('link', { name: 'Next First webhook' }).click()
    await page.waitForURL('**/docs/first-webhook')
    await page.locator('.neighbours').getByRole('link', { name: 'Previous Quickstart' }).click()
    await page.waitForURL('**/docs')
    const linked = guidePages.map((one) => {
      const html = renderGuidePage('', document, one)
      return ['prev', 'next'].map((rel) => new RegExp(`rel="${rel}"\\shref="([^"]*)"`).exec(html)?.[1])
    })
    const paths = guidePages.map(({ path }) => path)
    expect(linked).toEqual(paths.map((_, index) => [paths[index - 1], paths[index + 1]]))
  })

  // Further pages, boxes, rows, links and paragraphs are made of the same parts, and axe takes seconds for a page.
  test('has no violation that axe calls serious: wide and light, narrow and dark', async () => {
    const shorten = `for (const [most, selector] of [[3, '.box'], [3, 'tr'], [12, '.contents li'], [12, 'main p']])
      [...document.querySelectorAll(selector)].slice(most).forEach((part) => part.remove())`
    const { page, complaints } = await openGuide(open, '/docs/webhooks')
    await page.evaluate(shorten)
    for (const { viewport, colorScheme } of [
      { ...wide, colorScheme: 'light' },
      { ...narrow, colorScheme: 'dark' },
    ] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.evaluate(`document.querySelector('.contents').open = true`)
      expect(await seriousIn(page, ['body']), colorScheme).toEqual([])
    }
    expect(complaints).toEqual([])
  })
})
