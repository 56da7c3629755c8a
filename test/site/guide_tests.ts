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
  const config = { docsPassword: password }
  const api = testApi(() => database.url, { config })

  async function openGuide(open: Open, path: string, options: BrowserContextOptions = wide): Promise<Watched> {
    const watched = await open({ ...options, httpCredentials })
    await watched.page.goto(`${api().url}${path}`)
    return watched
  }
  return { database, config, api, openGuide }
}
