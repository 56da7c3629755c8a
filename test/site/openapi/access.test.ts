import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makePartner, type Partner } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'
import { basic } from './requests.ts'

const password = 'пароль: "open sesame"'
const database = testDatabase()
const api = testApi(() => database.url, { config: { docsPassword: password } })
const unprotected = testApi(() => database.url)
const behindProxy = testApi(() => database.url, {
  config: { docsPassword: password, publicUrl: 'https://supply.example/api' },
})

let partner: Partner
beforeAll(async () => {
  partner = await makePartner(database.sql)
})

const policy = (header: unknown) =>
  Object.fromEntries(
    String(header)
      .split(';')
      .map((directive) => directive.trim().split(/ (.*)/s))
      .map(([name = '', values = '']) => [name, values]),
  )

const isStrict = (header: unknown, formAction = "'none'", more = {}) => {
  expect(policy(header)).toEqual({
    ...more,
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'base-uri': "'none'",
    'form-action': formAction,
    'frame-ancestors': "'none'",
  })
}

describe('/reference', () => {
  const path = () => `/reference?key=${partner.key}`

  test('is a page for a key in the address', async () => {
    const answer = await api().get(path())
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    })
    isStrict(answer.headers['content-security-policy'], "'none'", { 'connect-src': "'self'" })
    expect(answer.text).not.toContain(partner.key)
    expect(answer.text).not.toMatch(/<script>|<style| style=| on\w+=/)
  })

  test('takes the key from nowhere else', async () => {
    expect(await api().get('/reference', { key: partner.key })).toMatchObject({ status: 401 })
    const bearer = { authorization: `Bearer ${partner.key}` }
    expect(await api().get('/reference', { headers: bearer })).toMatchObject({ status: 401 })
    expect(await api().get(`${path()}&key=${partner.key}`)).toMatchObject({ status: 401 })
    expect(await api().get('/reference?key=')).toMatchObject({ status: 401 })
  })

  test('does not look for it in a query that is longer than 2,048 characters', async () => {
    const filled = `${path()}&utm_source=`
    const longest = filled.padEnd('/reference?'.length + 2_048, 'x')
    expect(await api().get(longest)).toMatchObject({ status: 200 })
    expect(await api().get(`${longest}x`)).toMatchObject({ status: 401 })
  })

  test('does not mind a wrong key in the header', async () => {
    expect(await api().get(path(), { key: 'wrong' })).toMatchObject({ status: 200 })
  })

  test('is no less closed with a slash at its end or something after it', async () => {
    expect(await api().get('/reference/')).toMatchObject({ status: 401 })
    expect(await api().get('/reference/x')).toMatchObject({ status: 401 })
    expect(await api().get(`/reference/?key=${partner.key}`)).toMatchObject({ status: 200 })
    expect(await api().get(`/reference/x?key=${partner.key}`)).toMatchObject({ status: 404 })
  })

  test('is read alone', async () => {
    expect(await api().send('HEAD', path())).toMatchObject({ status: 200, text: '' })
    expect(await api().post(path())).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })

  test('finds its parts where the service is', async () => {
    const { text } = await behindProxy().get(path())
    const sources = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, source]) => source)
    expect(sources.length).toBeGreaterThan(3)
    const elsewhere = sources.filter(
      (source = '') => !/^(?:#|\/api\/(?:$|assets\/|docs|reference$|openapi\.json))/.test(source),
    )
    expect(elsewhere).toEqual([])
    expect(text.includes('https://supply.example/api/b2b/orders')).toBe(true)
  })
})

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('/reference without a key that opens it', () => {
  test('says to a browser how to come in, with the same status and the same care', async () => {
    for (const path of ['/reference', '/reference?key=svc_live_0', '/reference/']) {
      const answer = await api().get(path, { headers: browser })
      expect(answer).toMatchObject({
        status: 401,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        },
      })
      isStrict(answer.headers['content-security-policy'], "'self'")
      expect(answer.text).toContain('<form method="get" action="/reference">')
      expect(answer.text.includes('Invalid or missing API key')).toBe(path.includes('?'))
      expect(answer.text).not.toContain('svc_live_0')
    }
    expect((await behindProxy().get('/reference', { headers: browser })).text).toContain('action="/api/reference"')
  })

  test('says why a valid key does not open it', async () => {
    const { key } = await makePartner(database.sql, { kind: 'storefront' })
    const answer = await api().get(`/reference?key=${key}`, { headers: browser })
    expect(answer).toMatchObject({ status: 403, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(answer.text).toContain('This endpoint is only available for B2B API partners')
    expect(answer.text).not.toContain(key)
  })

  test('says to a program what the contract says', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html', '']) {
      const answer = await api().get('/reference?key=svc_live_0', { headers: { accept } })
      expect(answer).toMatchObject({
        status: 401,
        json: { error: 'Unauthorized', message: 'Invalid or missing API key' },
        headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      })
    }
    const elsewhere = await api().get('/b2b/balance', { headers: browser })
    expect(elsewhere).toMatchObject({ status: 401, json: { error: 'Unauthorized' } })
  })
})

describe('a refused page', () => {
  test('tells a browser without the password how to open the guide, with status and headers of the JSON', async () => {
    const { status, headers, text } = await api().get('/docs/webhooks', { headers: browser })
    expect({ status, ...headers }).toMatchObject({
      ...{ status: 401, 'content-type': 'text/html; charset=utf-8', vary: 'Accept' },
      'www-authenticate': 'Basic realm="guide for partners", charset="UTF-8"',
      'cache-control': 'no-store',
    })
    isStrict(headers['content-security-policy'])
    expect(text).toContain('<h1>Password required</h1>')
  })

  test('tells a browser that there is no such page, and a program the JSON of a 404', async () => {
    const answer = await api().get('/nothing<i>', { headers: browser })
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(answer.text).toContain('<h1>Page not found</h1>')
    expect(answer.text).not.toContain('<i>')
    expect(await api().get('/nothing')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } })
    const { key } = partner
    expect(await api().get('/b2b/nothing', { key, headers: browser })).toMatchObject({
      status: 404,
      json: { code: 'NOT_FOUND' },
    })
  })
})

describe('/openapi.json', () => {
  test('is there for a key in the header or in the address', async () => {
    for (const answer of [
      await api().get('/openapi.json', { key: partner.key }),
      await api().get(`/openapi.json?key=${partner.key}`),
    ]) {
      expect(answer).toMatchObject({ status: 200, json: { openapi: '3.1.0' } })
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    }
  })

  test('believes the header where both are given', async () => {
    const answer = await api().get(`/openapi.json?key=${partner.key}`, { key: 'wrong' })
    expect(answer).toMatchObject({ status: 401 })
  })

  test('is closed without a key', async () => {
    for (const path of ['/openapi.json', '/openapi.json/', '/openapi.json?key=']) {
      expect(await api().get(path)).toMatchObject({ status: 401 })
    }
  })

  test('names the address that the operators gave, else that of the request', async () => {
    const serversOf = async (server: typeof api) =>
      (await server().get('/openapi.json', { key: partner.key })).json.servers
    expect(await serversOf(behindProxy)).toMatchObject([{ url: 'https://supply.example/api' }])
    expect(await serversOf(api)).toMatchObject([{ url: api().url }])
  })
})

describe('a key in an address', () => {
  test('is in no log, whatever the result of the request', async () => {
    const { key } = partner
    await api().get(`/reference?key=${key}`)
    await api().get(`/reference/x?key=${key}`)
    await api().get(`/openapi.json?key=${key}`)
    await api().get(`/nothing?key=${key}`)
    await api().post(`/reference?key=${key}`, { headers: { origin: 'https://x.example' } })
    const log = JSON.stringify(api().records)
    expect(log).toContain('/reference')
    expect(log).not.toContain(key)
    expect(log).not.toContain('key=')
  })

  test('opens nothing but the documents', async () => {
    expect(await api().get(`/b2b/balance?key=${partner.key}`)).toMatchObject({ status: 401 })
    expect(await api().get(`/simulation/webhooks/x?key=${partner.key}`)).toMatchObject({ status: 401 })
  })
})

describe('/docs', () => {
  const paths = ['/docs', '/docs/', '/docs/webhooks', '/docs/verify/verify.py', '/docs/nothing']
  const refused = {
    status: 401,
    json: { error: 'Unauthorized', message: 'Invalid or missing password' },
    headers: { 'www-authenticate': 'Basic realm="guide for partners", charset="UTF-8"', 'cache-control': 'no-store' },
  }
  const encoded = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test.each(paths)('%s is closed without the password', async (path) => {
    const { authorization } = basic(password)
    for (const headers of [
      {},
      basic('wrong'),
      basic(`${password} `),
      basic(''),
      encoded(password),
      encoded(`:${password.slice(0, -1)}`),
      { authorization: `Bearer ${password.length}` },
      { authorization: String(authorization).replace('Basic', 'Digest') },
      { authorization: 'Basic' },
      { authorization: 'Basic %' },
      { 'x-api-key': partner.key },
    ]) {
      expect(await api().get(path, { headers })).toMatchObject(refused)
    }
  })

  test.each(paths)('%s stays closed where no password is set', async (path) => {
    for (const headers of [{}, basic(''), basic('undefined'), basic(password)]) {
      expect(await unprotected().get(path, { headers })).toMatchObject(refused)
    }
  })

  test('opens for the password with any user name', async () => {
    for (const user of ['partner', '', 'имя']) {
      const answer = await api().get('/docs', { headers: encoded(`${user}:${password}`) })
      expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
      isStrict(answer.headers['content-security-policy'], "'none'", { 'connect-src': "'self'" })
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    }
  })

  test('is read alone, and 404 where it has nothing', async () => {
    const headers = basic(password)
    expect(await api().post('/docs', { headers })).toMatchObject({ status: 405 })
    expect(await api().post('/docs')).toMatchObject({ status: 401 })
    expect(await api().send('HEAD', '/docs', { headers })).toMatchObject({ status: 200, text: '' })
    const paths = ['/docs/nothing', '/docs/quickstart', '/docs/verify', '/docs/verify/nothing']
    for (const path of [...paths, '/docs/verify/..%2Fbench.json', '/docs/verify/.', '/docs/guide/webhooks.md']) {
      expect(await api().get(path, { headers })).toMatchObject({ status: 404 })
    }
  })

  test('lets a browser keep what its search looks in, and nobody else', async () => {
    const { headers } = await api().get('/docs/search.json', { headers: basic(password) })
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', 'referrer-policy': 'no-referrer' })
    expect(headers.vary).toContain('Authorization')
    const again = (given: object) =>
      api().get('/docs/search.json', { headers: { ...given, 'if-none-match': String(headers.etag) } })
    expect(await again(basic(password))).toMatchObject({ status: 304, text: '' })
    expect(await again({})).toMatchObject({ status: 401, headers: { 'cache-control': 'no-store' } })
  })

  test('shows the commands with the address of the service', async () => {
    const headers = basic(password)
    expect((await api().get('/docs', { headers })).text).toContain(`BASE_URL=${api().url}`)
    const proxied = await behindProxy().get('/docs', { headers })
    expect(proxied.text).toContain('BASE_URL=https://supply.example/api\n')
    const forged = await api().get('/docs', { headers: { ...headers, host: 'x"><script>' } })
    expect(forged.text).not.toContain('<script>')
  })

  test('gives programs and requests.http as plain text', async () => {
    const headers = basic(password)
    const program = await api().get('/docs/verify/verify.py', { headers })
    expect(program.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(program.text).toContain('def verify(')
    const requests = await api().get('/docs/requests.http', { headers })
    expect(requests.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(requests.text).toContain(`@baseUrl = ${api().url}\n`)
    expect(await api().get('/docs/requests.http')).toMatchObject(refused)
  })

  test('writes the password into no log', () => {
    const log = JSON.stringify(api().records)
    expect(log).not.toContain('sesame')
    expect(log).not.toContain(Buffer.from(`partner:${password}`).toString('base64'))
  })
})

describe('what the pages are made of', () => {
  test('is compressed for who can read that, and the same for who cannot', async () => {
    const plain = await api().get('/assets/reference.css')
    const packed = await fetch(`${api().url}/assets/reference.css`, { headers: { 'accept-encoding': 'gzip' } })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(await packed.text()).toBe(plain.text)
    expect(packed.headers.get('etag')).toBe(plain.headers.etag)
  })

  test('is nothing but what is meant to be', async () => {
    for (const name of ['package.json', '..%2Fapp.ts', 'constructor', '__proto__', 'guide.css%00']) {
      expect(await api().get(`/assets/${name}`)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } })
    }
  })
})
