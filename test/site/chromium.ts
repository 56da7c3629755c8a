import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'

const candidates = [
  process.env.CHROMIUM_PATH,
  // It takes less than half as much CPU for a page.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]
const executablePath = candidates.find((path) => path !== undefined && existsSync(path))
const required = process.env.REQUIRE_BROWSER === '1'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// Nothing but this machine can be reached, whatever a page asks for and whatever the browser itself would like to.
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-proxy-server',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

/** The windows of a phone and of a desk. */
export const narrow = { viewport: { width: 390, height: 844 } }
export const wide = { viewport: { width: 1280, height: 900 } }

/** A page that is watched: what it asked for, and what the browser had to complain about. */
export type Watched = {
  page: Page
  /** The addresses that it asked for, in order, each with the referrer that was told. */
  requests: { url: string; referrer: string | undefined }[]
  /** Errors and warnings of the console, exceptions, failed requests and violations of the security policy. */
  complaints: string[]
}

/** Opens an empty page in a context of its own, which ends with the test unless it is kept for all tests. */
export type Open = (options?: BrowserContextOptions, lasting?: { isKept?: boolean }) => Promise<Watched>

/**
 * Tests that need a Chromium. Where there is none they are skipped with a message, unless `REQUIRE_BROWSER=1`, which
 * makes them fail.
 */
export function describeInChromium(name: string, tests: (open: Open) => void): void {
  if (executablePath === undefined && !required) {
    console.info(`no Chromium on this machine (set CHROMIUM_PATH to use another), hence not run: ${name}`)
    describe.skip(name, () => tests(() => Promise.reject(new Error('there is no Chromium'))))
    return
  }
  describe(name, () => {
    let browser: Browser | undefined
    const contexts: BrowserContext[] = []
    beforeAll(async () => {
      if (executablePath === undefined) throw new Error('REQUIRE_BROWSER=1, but there is no Chromium')
      browser = await chromium.launch({ executablePath, args: flags })
    })
    afterEach(async () => {
      await Promise.all(contexts.splice(0).map((context) => context.close()))
    })
    afterAll(() => browser?.close())
    tests(async (options = {}, { isKept = false } = {}) => {
      if (browser === undefined) throw new Error('the browser exists only inside tests and hooks')
      const context = await browser.newContext(options)
      if (!isKept) contexts.push(context)
      return watch(await context.newPage())
    })
  })
}

async function watch(page: Page): Promise<Watched> {
  const requests: Watched['requests'] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    requests.push({ url: request.url(), referrer: request.headers().referer })
  })
  page.on('requestfailed', (request) => {
    if (!isGivenUp(request)) complaints.push(`failed: ${request.url()}`)
  })
  page.on('pageerror', (error) => void complaints.push(`thrown: ${error.message}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`)
  })
  await page.exposeFunction('reportViolation', (text: string) => complaints.push(`policy: ${text}`))
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation(event.effectiveDirective + ' ' + event.blockedURI))`)
  return { page, requests, complaints }
}

/** The browser gives up the requests of a page that the reader leaves before it is loaded: its icon, its scripts. */
function isGivenUp(request: Request): boolean {
  return request.failure()?.errorText === 'net::ERR_ABORTED'
}

/** How much wider than its window a page is, in pixels. */
export async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'))
}

/** What axe finds in parts of a page that is serious or critical. */
export async function seriousIn(page: Page, parts: string[]): Promise<unknown> {
  await page.evaluate(axe)
  return await page.evaluate(`axe.run({ include: ${JSON.stringify(parts)} }, { resultTypes: ['violations'] }).then(
    ({ violations }) => violations
      .filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`)
}
