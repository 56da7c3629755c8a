import { describe, expect, test } from 'vitest'
import { compactJson } from '../../../src/messages/json.ts'
import { httpTests } from '../../support/http_tests.ts'
import { products } from '../../support/partner.ts'
import { exchangeRaw } from '../../support/service.ts'

const { api, partner, get, post: postTo } = httpTests()

const post = (body: unknown, headers = {}) => postTo('/b2b/orders', body, headers)
const goodOrder = { externalOrderId: 'good', items: [{ productId: products.topUp, deliveryData: { gameUserId: '1' } }] }

describe('every response', () => {
  test.each([
    ['GET', '/b2b/balance'],
    ['GET', '/b2b/nothing'],
    ['GET', '/nothing'],
    ['DELETE', '/b2b/orders'],
    ['POST', '/suppliers/first/results'],
  ])('to %s %s has a request id, the API version, a content type and nosniff', async (method, path) => {
    for (const key of [partner().key, undefined]) {
      const { headers } = await api().send(method, path, { key })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers['x-api-version']).toBe('1')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(headers['x-powered-by']).toBeUndefined()
    }
  })

  test.each([
    ['GET', '/livez'],
    ['GET', '/b2b/balance'],
    ['GET', '/b2b/catalog/games/example-game/products'],
    ['GET', '/b2b/orders?limit=1'],
    ['GET', '/openapi.json'],
    ['GET', '/nothing'],
    ['DELETE', '/b2b/orders'],
    ['POST', '/b2b/orders'],
    ['POST', '/b2b/nothing'],
  ])('to %s %s is one line of compact JSON', async (method, path) => {
    await post({ ...goodOrder, externalOrderId: 'spaces' })
    for (const key of [partner().key, undefined]) {
      const { text, headers } = await api().send(method, path, { key })
      expect(text).toMatch(/^\{".*\}\n$/)
      expect(text).toBe(`${compactJson(text)}\n`)
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
    }
  })

  test.each(['abc', 'A.b_c-9', 'x'.repeat(128), 'a'.repeat(64), `00-${'0a'.repeat(16)}-${'0a'.repeat(8)}-01`])(
    'keeps the request id %s',
    async (id) => {
      const answer = await api().get('/livez', { headers: { 'x-request-id': id } })
      expect(answer.headers['x-request-id']).toBe(id)
    },
  )

  test.each(['', 'a b', 'a/b', 'x'.repeat(129), 'é', 'a,b'])('replaces the request id "%s"', async (id) => {
    const answer = await api().get('/livez', { headers: { 'x-request-id': id } })
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  const characters = '0123456789abcdef'.repeat(3)
  test.each([
    `svc_live_${characters}`,
    `svc_test_${characters}`,
    `key-SVC_LIVE_${characters.slice(0, 40)}`,
    characters,
    `my.${characters.toUpperCase()}-1`,
  ])('neither sends back nor logs what looks like an API key: %s', async (id) => {
    const answer = await api().get('/b2b/balance', { headers: { 'x-request-id': id } })
    expect(answer.headers['x-request-id']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(api().records.at(-1)).toMatchObject({ requestId: answer.headers['x-request-id'] })
    expect(JSON.stringify([answer.headers, answer.text, api().records])).not.toContain(id)
  })
})

describe('routes', () => {
  test.each([
    ['DELETE', '/b2b/orders', 'GET, HEAD, POST'],
    ['OPTIONS', '/b2b/orders', 'GET, HEAD, POST'],
    ['POST', '/b2b/orders/ord_1', 'GET, HEAD'],
    ['GET', '/suppliers/first/results', 'POST'],
    ['POST', '/livez', 'GET, HEAD'],
  ])('%s %s is 405 and names what is allowed', async (method, path, allow) => {
    const answer = await api().send(method, path, { key: partner().key })
    expect(answer).toMatchObject({
      status: 405,
      headers: { allow },
      json: { success: false, code: 'METHOD_NOT_ALLOWED' },
    })
  })

  test.each(['/b2b', '/b2b/orders/a/b', '/b2b/Orders', '/b2b/catalog', '/nothing'])(
    '%s is 404, and the answer names method and path, without the query',
    async (path) => {
      const answer = await get(`${path}?key=secret`)
      const error = `No such endpoint: GET ${path}`
      expect(answer).toMatchObject({ status: 404, json: { success: false, error, code: 'NOT_FOUND' } })
    },
  )

  test.each(['/livez', '/b2b/catalog/games', '/b2b/balance'])('HEAD %s is GET without its body', async (path) => {
    const whole = await get(path)
    const head = await api().send('HEAD', path, { key: partner().key })
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect(head.headers['content-type']).toBe(whole.headers['content-type'])
    expect(head.headers.etag).toBe(whole.headers.etag)
  })

  test('a slash at the end makes no difference', async () => {
    expect((await get('/b2b/balance/')).status).toBe(200)
  })

  test('a malformed or undecodable order code is 404', async () => {
    for (const code of ['%zz', '%', '%ff', '%00', 'a%2Fb', 'x'.repeat(65), '..%2F..', 'ord 1']) {
      const answer = await get(`/b2b/orders/${code.replace(' ', '%20')}`)
      expect([code, answer.status]).toEqual([code, 404])
    }
  })
})

describe('a body', () => {
  test.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="UTF-8"', 200],
    ['APPLICATION/JSON', 200],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-16', 415],
    ['application/jsonx', 415],
    ['application/vnd.api+json', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['json', 415],
    ['', 415],
  ])('of type "%s" gets %i', async (type, status) => {
    const answer = await post(goodOrder, { 'content-type': type })
    expect(answer.status).toBe(status)
    if (status === 415) expect(answer.json.code).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  test.each(['gzip', 'br', 'deflate', 'identity, gzip'])('that is compressed by %s gets 415', async (encoding) => {
    const answer = await post(goodOrder, { 'content-encoding': encoding })
    expect(answer).toMatchObject({ status: 415, json: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
  })

  test('that is too large gets 413 before its type is checked', async () => {
    const body = 'x'.repeat(70_000)
    const answer = await post(body, { 'content-type': 'text/plain' })
    expect(answer).toMatchObject({ status: 413, json: { code: 'BODY_TOO_LARGE' } })
    const chunks = (size: number) =>
      `POST /b2b/orders HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${partner().key}\r\nContent-Type: text/plain\r\n` +
      `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`
    expect(await exchangeRaw(api().port, chunks(70_000))).toMatch(/^HTTP\/1\.1 413 /)
    expect(await exchangeRaw(api().port, chunks(60_000))).toMatch(/^HTTP\/1\.1 415 /)
  })

  test('with Content-Encoding: identity is accepted', async () => {
    expect((await post(goodOrder, { 'content-encoding': 'identity' })).status).toBe(200)
  })

  test('may have 64 KiB, and gets 413 with one byte more', async () => {
    const padded = (size: number) => {
      const body = JSON.stringify({ ...goodOrder, padding: '' })
      return body.replace('"padding":""', `"padding":"${'x'.repeat(size - body.length)}"`)
    }
    expect((await post(padded(65_536))).status).toBe(200)
    expect(await post(padded(65_537))).toMatchObject({ status: 413, json: { code: 'BODY_TOO_LARGE' } })
  })

  test.each<[string, string | Buffer, string]>([
    ['nothing', '', 'is empty'],
    ['broken JSON', '{"a":', 'is no JSON: it ends too early'],
    ['JSON with a comment', '{/* */}', 'is no JSON: line 1, column 2'],
    ['NaN', '{"a": NaN}', 'is no JSON: line 1, column 7'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'must be JSON in UTF-8'],
    ['a cut-off character', Buffer.from('{"a":"€"}').fill(0x20, 8, 9), 'must be JSON in UTF-8'],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'must be JSON in UTF-8'],
    ['UTF-16', Buffer.from('{}', 'utf16le'), 'is no JSON: line 1, column 2'],
  ])('of %s is 400 VALIDATION_ERROR', async (_, body, fault) => {
    const answer = await post(body)
    expect(answer).toMatchObject({ status: 400, json: { success: false, code: 'VALIDATION_ERROR' } })
    expect(answer.json.details).toEqual([{ path: '', message: `the body ${fault}` }])
  })

  test.each([
    ['an array', '[]'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['null', 'null'],
  ])('that is %s gets 400 and a message that says so', async (kind, body) => {
    const answer = await post(body)
    expect(answer.json.details).toEqual([{ path: '', message: `the body must be an object; got ${kind}` }])
  })

  test.each([
    ['sixty thousand nested lists', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['deeply nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ])('that is %s is 400 VALIDATION_ERROR', async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } })
  })

  test('may nest deeply in an unknown field', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const body = JSON.stringify(goodOrder).replace('{', `{"extra":${deep},`)
    expect((await post(body)).status).toBe(200)
  })

  test('may begin with a byte order mark', async () => {
    expect((await post(Buffer.from(`\uFEFF${JSON.stringify(goodOrder)}`))).status).toBe(200)
  })

  test('is ignored on a route that takes none', async () => {
    const answer = await api().get('/b2b/balance', { key: partner().key, body: '{broken' })
    expect(answer.status).toBe(200)
  })
})
