import { expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { makePartner } from '../support/partner.ts'
import { testApi } from '../support/service.ts'
import { describeInChromium, overflowOf } from './chromium.ts'
import { basic } from './openapi/requests.ts'

const database = testDatabase()
const config = { docsPassword: 'open sesame' }
const api = testApi(() => database.url, { config })
const behindProxy = testApi(() => database.url, { config: { ...config, publicUrl: 'https://supply.example/api' } })

const oddUrl = 'https://supply.example/$`/api'
const oddlyNamed = testApi(() => database.url, { config: { ...config, publicUrl: oddUrl } })

const places = {
  ...{ service: 'supply-ordering', api: '/b2b', reference: '/reference', openApi: '/openapi.json' },
  ...{ guide: '/docs', live: '/livez', ready: '/readyz' },
}
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test.each([undefined, '*/*', 'application/json', 'image/png'])('/ is JSON for whom Accept is %s', async (accept) => {
  const answer = await api().get('/', accept === undefined ? {} : { headers: { accept } })
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', vary: 'Accept' },
    json: { success: true, data: places },
  })
})

test('/ is a page for browsers, with nothing in it but text and links', async () => {
  const answer = await api().get('/', { headers: browser })
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8', vary: 'Accept' } })
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  expect(answer.text).not.toMatch(/<script|<style| style=| on\w+=/)
  for (const path of Object.values(places).slice(1)) expect(answer.text).toContain(path)
})

test('pages show the address of the service as it is, whatever characters it has', async () => {
  const { key } = await makePartner(database.sql)
  const pages = [
    await oddlyNamed().get('/docs', { headers: basic(config.docsPassword) }),
    await oddlyNamed().get(`/reference?key=${key}`),
  ]
  for (const { status, text } of pages) {
    expect(status).toBe(200)
    expect(text).toContain(oddUrl)
    expect(text.match(/<html/g)).toHaveLength(1)
  }
})

test('each address leads somewhere, whatever it asks for', async () => {
  for (const path of Object.values(places).slice(2))
    expect([path, (await api().get(path)).status]).toEqual([path, expect.toBeOneOf([200, 401])])
})

test('behind a proxy the addresses are those of PUBLIC_URL', async () => {
  expect((await behindProxy().get('/')).json.data).toMatchObject({ api: '/api/b2b', guide: '/api/docs' })
  const { text } = await behindProxy().get('/', { headers: browser })
  expect(text).toContain('href="/api/reference"')
  expect(text).not.toContain('href="/docs"')
})

describeInChromium('/ in a browser', (open) => {
  test.each([390, 1280])('is shown without a complaint at %s pixels, and fits', async (width) => {
    const { page, requests, complaints } = await open({ viewport: { width, height: 844 } })
    await page.goto(api().url)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Supply ordering')
    expect(await overflowOf(page)).toBe(0)
    expect(complaints).toEqual([])
    expect(new Set(requests.map(({ url }) => new URL(url).origin))).toEqual(new Set([api().url]))
    await page.getByRole('link', { name: '/livez' }).click()
    await page.waitForURL('**/livez')
  })
})
