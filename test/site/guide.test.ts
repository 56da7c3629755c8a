import { expect, test } from 'vitest'
import { guidePages } from '../../src/site/guide/pages.ts'
import { describeInChromium, narrow, overflowOf, wide } from './chromium.ts'
import { guideTests, headers } from './guide_tests.ts'

const { api, openGuide } = guideTests()
const pages = guidePages.map(({ path }) => path)

test('every link of the guide leads somewhere', async () => {
  const links = new Set<string>()
  for (const path of pages) {
    const { text } = await api().get(path, { headers })
    const ids = new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`))
    const hrefs = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(
      ([, href]) => new URL(href ?? '', `${api().url}${path}`),
    )
    const here = hrefs.filter(({ pathname, hash }) => pathname === path && hash !== '')
    expect(
      here.filter(({ hash }) => !ids.has(decodeURIComponent(hash))),
      path,
    ).toEqual([])
    for (const { origin, pathname } of hrefs) if (origin === new URL(api().url).origin) links.add(pathname)
  }
  expect(links.size).toBeGreaterThan(pages.length)
  // The reference wants a key, which the guide's reader gives it there.
  for (const link of links)
    expect((await api().get(link, { headers })).status, link).toBe(link === '/reference' ? 401 : 200)
})

describeInChromium('/docs in a browser', (open) => {
  test('every page is shown without a complaint, asks for nothing elsewhere, and fits with all its programs', async () => {
    const { page, requests, complaints } = await openGuide(open, '/docs')
    for (const path of pages) {
      await page.goto(`${api().url}${path}`)
      expect(await page.getByRole('heading', { level: 1 }).count(), path).toBe(1)
      await page.setViewportSize(narrow.viewport)
      expect(await overflowOf(page), path).toBe(0)
      await page.setViewportSize(wide.viewport)
      const tooWide = await page.evaluate(`[...document.querySelectorAll('.panel')].flatMap((panel) => {
        panel.hidden = false
        panel.style.display = 'block'
        const isTooWide = panel.querySelector('.file') && panel.scrollWidth > panel.clientWidth
        return isTooWide ? [panel.dataset.label] : []
      })`)
      expect(tooWide, path).toEqual([])
      expect(complaints, path).toEqual([])
    }
    expect(new Set(requests.map(({ url }) => new URL(url).origin))).toEqual(new Set([api().url]))
  })

  test('can be read without a mouse: the contents can be skipped, and what is too wide moves', async () => {
    const { page } = await openGuide(open, '/docs', narrow)
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
