import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { searchedSections } from '../../src/site/guide/search.ts'
import { document } from '../support/openapi/document.ts'
import { describeInChromium, narrow, overflowOf, seriousIn, type Watched, wide } from './chromium.ts'
import { guideTests, headers } from './guide_tests.ts'

const { api, openGuide: openPage } = guideTests()

describe('what the guide’s search looks in', () => {
  const sections = searchedSections(document)
  const of = (address: string) => sections.find(({ href }) => href === `..${address}`)

  test('has every page and every section of one, each where it stands', async () => {
    const pages = new Set(sections.map(({ href }) => href.slice(2).split('#')[0] ?? ''))
    pages.delete('/reference')
    expect(pages.size).toBeGreaterThan(10)
    for (const page of pages) {
      const { text } = await api().get(page, { headers })
      const headings = [...text.matchAll(/<h[2-6] id="([^"]*)"/g)].map(([, id]) => `..${page}#${id}`)
      const found = sections.filter(({ href }) => href.split('#')[0] === `..${page}`)
      expect(found.map(({ href }) => href)).toEqual([`..${page}`, ...headings])
    }
  })

  test('is plain text, with the path to each section', () => {
    expect(of('/docs/webhooks')).toMatchObject({ title: 'Webhooks', trail: ['Guides'] })
    expect(of('/docs/webhooks#ordercompleted')).toMatchObject({
      title: 'order.completed',
      trail: ['Webhooks', 'The request'],
    })
    expect(of('/reference#placeOrder')).toEqual({
      href: '../reference#placeOrder',
      title: 'Place an order',
      trail: ['Reference', 'Orders'],
      text: 'POST /b2b/orders',
    })
    const all = JSON.stringify(sections)
    expect(all).not.toMatch(/&(?:amp|lt|gt|quot|#39);|<\/|<code |class=/)
    expect(all.length).toBeLessThan(200_000)
  })
})

describeInChromium('the search of the guide in a browser', (open) => {
  async function openGuide(options: Parameters<typeof open>[0] = wide, path = '/docs'): Promise<Watched> {
    const watched = await openPage(open, path, options)
    await watched.page.getByRole('combobox').waitFor()
    return watched
  }

  const fetched = ({ requests }: Watched) =>
    requests.map(({ url }) => new URL(url).pathname).filter((path) => /search\.json|minisearch/.test(path))

  const box = (page: Page) => page.getByRole('combobox')
  const status = (page: Page) => page.getByRole('status').innerText()
  async function type({ page }: Watched, text: string): Promise<void> {
    await page.getByRole('combobox').fill(text)
    await page.getByRole('option').first().waitFor()
  }
  const first = ({ page }: Watched) => page.getByRole('option').first()
  const active = ({ page }: Watched) => page.locator('[role="option"][aria-selected="true"]')
  const focused = ({ page }: Watched) => page.evaluate('document.activeElement.getAttribute("role")')

  test('loads at its first use and finds words, their beginnings and typing errors', async () => {
    const watched = await openGuide()
    const { page, complaints } = watched
    expect(fetched(watched)).toEqual([])
    await page.keyboard.press('/')
    await expect.poll(() => fetched(watched)).toHaveLength(2)
    for (const [query, address] of [
      ['idempotency', '/docs/idempotency'],
      ['idemp', '/docs/idempotency'],
      ['idempotancy', '/docs/idempotency'],
      ['partial results', '/docs/results#partial-results'],
      ['deduplication zzzzzz', '/docs/webhooks#deduplication'],
      ['/b2b/balance/transactions', '/reference#listTransactions'],
    ]) {
      await box(page).fill(query ?? '')
      const found = () => page.evaluate('[...document.querySelectorAll("[role=option]")].map(({ href }) => href)')
      await expect
        .poll(async () => Object(await found()).slice(0, 3), { message: query })
        .toContain(`${api().url}${address}`)
    }

    const option = page.getByRole('option', { name: 'externalOrderId' }).first()
    await box(page).fill('external order')
    await expect.poll(() => option.locator('mark').allInnerTexts()).toContain('externalOrderId')
    await box(page).fill('order.completed')
    await expect.poll(() => page.locator('.search-trail').allInnerTexts()).toContain('Webhooks › The request')
    await expect.poll(() => status(page)).toMatch(/^\d+ results$|^The first 20 of \d+ results$/)
    await box(page).fill('qqqqqqqq')
    await expect.poll(() => status(page)).toBe('Nothing found')
    expect(await page.locator('.search-note').innerText()).toBe('Nothing found')
    await box(page).fill('')
    await expect.poll(() => page.locator('.search-note').isVisible()).toBe(false)
    expect(fetched(watched).toSorted()).toEqual(['/assets/minisearch.js', '/docs/search.json'])
    expect(complaints).toEqual([])
  })

  test('is moved by the keyboard alone, and leads there', async () => {
    const watched = await openGuide()
    const { page, complaints } = watched
    await page.keyboard.press('/')
    expect(await focused(watched)).toBe('combobox')
    await page.keyboard.type('webhook')
    await first(watched).waitFor()
    expect(await box(page).getAttribute('aria-expanded')).toBe('true')
    expect(await active(watched).count()).toBe(0)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const second = await page.getByRole('option').nth(1).getAttribute('id')
    expect(await box(page).getAttribute('aria-activedescendant')).toBe(second)
    expect(await active(watched).getAttribute('id')).toBe(second)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await active(watched).getAttribute('id')).toBe(await page.getByRole('option').last().getAttribute('id'))

    await page.keyboard.press('Escape')
    expect(await page.getByRole('option').count()).toBe(0)
    expect([await box(page).getAttribute('aria-expanded'), await box(page).inputValue()]).toEqual(['false', 'webhook'])
    await page.keyboard.press('ArrowDown')
    await first(watched).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await box(page).inputValue()).toBe('')

    await page.keyboard.type('deduplication')
    await first(watched).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/webhooks#deduplication')
    await page.getByRole('combobox').waitFor()
    expect(complaints).toEqual([])
  })

  test('leads to a section of the page that is open, and gives way to it', async () => {
    const watched = await openGuide(wide, '/docs/webhooks')
    await type(watched, 'deduplication')
    await first(watched).click()
    await watched.page.waitForURL('**/docs/webhooks#deduplication')
    expect(await watched.page.getByRole('option').count()).toBe(0)
    expect(await focused(watched)).toBeNull()
    const top = () => watched.page.evaluate('document.getElementById("deduplication").getBoundingClientRect().top')
    await expect.poll(top).toBeLessThan(200)
    expect(await top()).toBeGreaterThan(
      Number(await watched.page.evaluate('document.querySelector(".site").getBoundingClientRect().bottom')),
    )
    await type(watched, 'order')
    await watched.page.keyboard.press('Tab')
    expect(await watched.page.getByRole('option').count()).toBe(0)
  })

  test('takes what is typed as text, whatever it is', async () => {
    const watched = await openGuide()
    const { page, complaints } = watched
    await type(watched, 'order')
    for (const query of [
      '<img src=x onerror=alert(1)>',
      '(((((((((((((((((((((((((((a+)+)+$',
      '[\\',
      '__proto__ constructor',
      '\u0000\uD800',
      'é'.repeat(500),
      '.*',
    ]) {
      await box(page).fill(query)
      expect(await page.locator('.search :is(img, script)').count()).toBe(0)
    }
    await type(watched, 'order')
    expect(complaints).toEqual([])
  })

  test('says that it could not be loaded, and tries again', async () => {
    const watched = await openGuide()
    const { page } = watched
    await page.route('**/search.json', (route) => route.fulfill({ status: 429 }))
    await box(page).fill('order')
    await expect.poll(() => status(page)).toContain('could not be loaded')
    await page.unroute('**/search.json')
    await type(watched, 'webhook')
  })

  test('is not there without JavaScript', async () => {
    const { page } = await openPage(open, '/docs', { javaScriptEnabled: false })
    expect(await page.getByRole('combobox').count()).toBe(0)
  })

  describe('looked at by axe', () => {
    test.each([
      { ...wide, colorScheme: 'light' },
      { ...narrow, colorScheme: 'dark' },
    ] as const)('has no serious violation: $viewport.width px, $colorScheme', async (options) => {
      const watched = await openGuide(options)
      // Axe looks at all of a page, whatever it is asked about.
      await watched.page.evaluate(
        `document.querySelectorAll('main > :nth-child(n+4)').forEach((part) => part.remove())`,
      )
      await type(watched, 'idempotency')
      await watched.page.keyboard.press('ArrowDown')
      expect(await seriousIn(watched.page, ['.site'])).toEqual([])
      expect(await overflowOf(watched.page)).toBe(0)
      const list = await watched.page.locator('.search-found').boundingBox()
      expect(list?.x).toBeGreaterThanOrEqual(0)
      expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(options.viewport.width)
      expect(watched.complaints).toEqual([])
    })
  })
})
