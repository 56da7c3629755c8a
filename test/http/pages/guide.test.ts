import { expect, test } from 'vitest'
import { guidePages } from '../../../src/http/pages/guide/pages.ts'
import { testDatabase } from '../../support/database.ts'
import { testApi } from '../../support/service.ts'
import { describeInChromium, overflowOf, type Watched } from './chromium.ts'

const docsPassword = 'open sesame'
const database = testDatabase()
const api = testApi(() => database.url, { config: { docsPassword } })

const narrow = { viewport: { width: 390, height: 844 } }
const wide = { viewport: { width: 1200, height: 900 } }
const pages = guidePages.map(({ path }) => path)

describeInChromium('/docs in a browser', (open) => {
  async function openGuide(path: string, options: Parameters<typeof open>[0] = wide): Promise<Watched> {
    const watched = await open({
      ...options,
      httpCredentials: { username: 'partner', password: docsPassword },
    })
    await watched.page.goto(`${api().url}${path}`)
    return watched
  }

  test.each(pages)('%s is shown without a complaint, and asks for nothing elsewhere', async (path) => {
    const { page, requests, complaints } = await openGuide(path)
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(complaints).toEqual([])
    expect(new Set(requests.map(({ url }) => new URL(url).origin))).toEqual(new Set([api().url]))
    const font = await page.evaluate('getComputedStyle(document.body).fontFamily')
    expect(font).toContain('system-ui')
  })

  test.each(pages)('every link within %s leads somewhere', async (path) => {
    const { page } = await openGuide(path)
    const lost = await page.evaluate(`[...document.querySelectorAll('a[href^="#"]')]
      .filter((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) === null)
      .map((link) => link.hash)`)
    expect(lost).toEqual([])
    const links = await page.evaluate(
      `[...document.querySelectorAll('a[href^="/"]')].map((link) => link.href)`,
    )
    for (const link of new Set(links as string[])) {
      // The reference wants a key, which the guide's reader gives it there.
      const status = link.startsWith(`${api().url}/reference`) ? 401 : 200
      expect((await page.context().request.get(link)).status(), link).toBe(status)
    }
  })

  test.each(pages)('%s fits a narrow screen', async (path) => {
    const { page, complaints } = await openGuide(path, narrow)
    expect(await overflowOf(page)).toBe(0)
    const size = await page.evaluate('parseFloat(getComputedStyle(document.querySelector("main")).fontSize)')
    expect(size).toBeGreaterThanOrEqual(16)
    expect(complaints).toEqual([])
  })

  test('leads to the reference, which leads back', async () => {
    const { page } = await openGuide('/docs')
    await page.getByRole('link', { name: 'Reference', exact: true }).click()
    await page.getByLabel('API key').waitFor()
    await page.getByRole('link', { name: 'Guide' }).click()
    await page.waitForURL('**/docs')
  })

  test('the contents lead to the chapters', async () => {
    const { page } = await openGuide('/docs')
    await page.getByRole('link', { name: 'Webhooks' }).first().click()
    await page.waitForURL('**/docs/webhooks')
    await page.locator('.contents').getByRole('link', { name: 'Dead letters' }).click()
    await page.waitForURL('**/docs/webhooks#dead-letters')
    await expect
      .poll(() => page.evaluate('document.getElementById("dead-letters").getBoundingClientRect().top'))
      .toBeLessThan(100)
  })

  test('can be read without a mouse: the contents can be skipped, and what is too wide moves', async () => {
    const { page } = await openGuide('/docs', narrow)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs#content')
    const wideCode = page.locator('.panel', { hasText: 'wholesalePrice' }).first()
    await wideCode.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => wideCode.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0)
  })

  test('has enough contrast, by day and by night', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, complaints } = await openGuide('/docs', { ...wide, colorScheme })
      for (const selector of ['main p', 'main p a', '.contents a', 'pre code']) {
        const ratio = Number(await page.evaluate(`(${contrastOf})('${selector}')`))
        expect(ratio, `${selector}, ${colorScheme}`).toBeGreaterThan(4.5)
      }
      expect(complaints).toEqual([])
    }
  })
})

/** Runs in the browser: the contrast of a text with what is behind it, by WCAG. */
const contrastOf = `(selector) => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number)
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    const color = numbers(getComputedStyle(element).backgroundColor)
    return color.length === 4 && color[3] === 0 ? behind(element.parentElement) : color
  }
  const element = document.querySelector(selector)
  const shades = [numbers(getComputedStyle(element).color), behind(element)].map(luminance)
  return (Math.max(...shades) + 0.05) / (Math.min(...shades) + 0.05)
}`
