import type { BrowserContextOptions } from 'playwright-core'
import { testDatabase } from '../support/database.ts'
import { testApi } from '../support/service.ts'
import { type Open, type Watched, wide } from './chromium.ts'
import { basic } from './openapi/requests.ts'

const password = 'open sesame'
export const httpCredentials = { username: 'partner', password }
export const headers = basic(password)

/** For a test file about the guide: an API that knows the password, and what opens a page of the guide with it. */
export function guideTests() {
  const database = testDatabase()
  const api = testApi(() => database.url, { config: { docsPassword: password } })

  /** By their options: to make a browser's context takes as long as to show a page. */
  const opened = new Map<string, Watched>()

  /** Opens a page of the guide, in a context that has forgotten what earlier tests did there. */
  async function openGuide(open: Open, path: string, options: BrowserContextOptions = wide): Promise<Watched> {
    const name = JSON.stringify(options)
    const watched = opened.get(name) ?? (await open({ ...options, httpCredentials }, { isKept: true }))
    const { page, requests, complaints } = watched
    if (opened.has(name) && options.javaScriptEnabled !== false) await page.evaluate('localStorage.clear()')
    opened.set(name, watched)
    if (options.viewport) await page.setViewportSize(options.viewport)
    await page.goto('about:blank')
    requests.length = 0
    complaints.length = 0
    await page.goto(`${api().url}${path}`)
    return watched
  }
  return { api, openGuide }
}
