import { expect, test } from 'vitest'
import { guidePages } from '../../src/site/guide/pages.ts'
import { testDatabase } from '../support/database.ts'
import { testApi } from '../support/service.ts'
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

  test.each(pages)('%s is shown without a complaint, asks for nothing elsewhere, and fits', async (path) => {
    const { page, requests, complaints } = await openGuide(path)
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(new Set(requests.map(({ url }) => new URL(url).origin))).toEqual(new Set([api().url]))
    const font = await page.evaluate('getComputedStyle(document.body).fontFamily')
    expect(font).toContain('system-ui')
    await page.setViewportSize(narrow.viewport)
    expect(await overflowOf(page)).toBe(0)
    const size = await page.evaluate('parseFloat(getComputedStyle(document.querySelector("main")).fontSize)')
    expect(size).toBeGreaterThanOrEqual(16)
    expect(complaints).toEqual([])
  })

  test('every link leads somewhere', async () => {
    const { page } = await openGuide('/docs')
    const links = new Set<string>()
    for (const path of pages) {
      await page.goto(`${api().url}${path}`)
      const lost = await page.evaluate(`[...document.querySelectorAll('a[href^="#"]')]
        .filter((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) === null)
        .map((link) => link.hash)`)
      expect(lost, path).toEqual([])
      const found = await page.evaluate(
        `[...document.querySelectorAll('a[href^="/"]')].map((link) => link.href.split('#')[0])`,
      )
      for (const link of found as string[]) links.add(link)
    }
    expect(links.size).toBeGreaterThan(pages.length)
    for (const link of links) {
      // The reference wants a key, which the guide's reader gives it there.
      const status = link === `${api().url}/reference` ? 401 : 200
      expect((await page.context().request.get(link)).status(), link).toBe(status)
    }
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
})
