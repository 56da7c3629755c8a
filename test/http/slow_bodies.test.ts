import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { httpTests } from '../support/http_tests.ts'
import { products } from '../support/partner.ts'
import { testApi } from '../support/service.ts'

const config = { trustProxyHops: 1 }
const {
  database,
  sql,
  partner,
  api: unhurried,
} = httpTests({ config, times: { bodyMs: 1_000_000 }, partner: { balance: 100_000 }, token: 'push-token' })
const hasty = testApi(() => database.url, { config, times: { bodyMs: 300, headersMs: 500, requestMs: 800 } })

beforeAll(async () => {
  await sql()`select ops.upsert_supplier('upstream', 'http://127.0.0.1:1', 'token', 'b2b')`
  await sql()`update supply.suppliers set push_secret = 'secret' where code = 'upstream'`
})

type Api = ReturnType<typeof unhurried>
type Raw = { socket: Socket; text: () => string; status: () => number | undefined; closed: () => boolean }

async function open(api: Api, bytes: string): Promise<Raw> {
  const socket = connect(api.port, '127.0.0.1')
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (data) => {
    received += String(data)
  })
  await once(socket, 'connect')
  socket.write(bytes)
  const status = () => {
    const [, found] = /HTTP\/1\.1 (\d+)/.exec(received) ?? []
    return found === undefined ? undefined : Number(found)
  }
  return { socket, text: () => received, status, closed: () => socket.closed }
}

const now = () => String(Math.floor(Date.now() / 1000))
const seemlySignature = `sha256=${'0'.repeat(64)}`
type Push = { from: string; supplier?: string; timestamp?: string; signature?: string; more?: string }

const pushHead = ({ from, supplier = 'first', more = '', ...signed }: Push) =>
  `POST /suppliers/${supplier}/results HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n` +
  `X-Supplier-Timestamp: ${signed.timestamp ?? now()}\r\nX-Supplier-Signature: ${signed.signature ?? seemlySignature}\r\n` +
  `Content-Type: application/json\r\n${more}`
const eventHead = (from: string, more: string) =>
  `POST /suppliers/upstream/webhooks HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n` +
  `Content-Type: application/json\r\n${more}`
const orderHead = (from: string, more: string) =>
  `POST /b2b/orders HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nX-Api-Key: ${partner().key}\r\n` +
  `Content-Type: application/json\r\n${more}`
const half = 'Content-Length: 60000\r\n\r\n{'
const crumbs = (body: string) => [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
const times = <T>(count: number, work: (index: number) => T) => Array.from({ length: count }, (_, i) => work(i))

const statusOf = async (raw: Raw) => {
  await expect.poll(raw.status).toBeDefined()
  return raw.status()
}
const orderBody = (externalOrderId: string) => JSON.stringify({ externalOrderId, items: [{ productId: products.key }] })
const order = (from: string, externalOrderId: string) => {
  const body = orderBody(externalOrderId)
  return orderHead(from, `Content-Length: ${body.length}\r\n\r\n${body}`)
}

describe('a push with invalid headers is refused before its body arrives', () => {
  const cases: [string, Omit<Push, 'from'>][] = [
    ['an unknown supplier', { supplier: 'unknown' }],
    ['an invalid supplier code', { supplier: '%00' }],
    ['no timestamp', { timestamp: 'now' }],
    ['an old timestamp', { timestamp: String(Number(now()) - 400) }],
    ['a signature that is too short', { signature: 'sha256=00' }],
    ['a signature without its algorithm', { signature: '0'.repeat(64) }],
  ]
  test.each(cases)('%s', async (_, wrong) => {
    const raw = await open(unhurried(), pushHead({ from: '198.51.100.1', ...wrong, more: half }))
    expect(await statusOf(raw)).toBe(401)
    expect(raw.text()).toContain('X-RateLimit-Remaining')
    raw.socket.destroy()
  })

  test('after a refused push, the connection discards the rest of its body and serves the next request', async () => {
    const body = 'x'.repeat(50_000)
    const raw = await open(
      unhurried(),
      pushHead({ from: '198.51.100.1', signature: '', more: `Content-Length: ${body.length}\r\n\r\n` }),
    )
    expect(await statusOf(raw)).toBe(401)
    raw.socket.write(`${body}GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await once(raw.socket, 'close')
    expect(raw.text().match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
  })

  test('a push with valid headers is answered only when its body is complete', async () => {
    const raw = await open(unhurried(), pushHead({ from: '198.51.100.1', more: 'Content-Length: 2\r\n\r\n{' }))
    await unhurried().get('/livez')
    expect(raw.status()).toBeUndefined()
    raw.socket.write('}')
    expect(await statusOf(raw)).toBe(401)
    raw.socket.destroy()
  })
})

describe('Expect: 100-continue', () => {
  const waiting = 'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n'

  test.each<[string, () => string, number]>([
    ['with a wrong key', () => orderHead('198.51.100.2', waiting).replace(partner().key, 'wrong'), 401],
    ['with an invalid push', () => pushHead({ from: '198.51.100.2', signature: '', more: waiting }), 401],
    ['for an unknown route', () => `POST /nothing HTTP/1.1\r\nHost: x\r\n${waiting}`, 404],
    [
      'with a body that is too large',
      () => orderHead('198.51.100.2', 'Expect: 100-continue\r\nContent-Length: 70000\r\n\r\n'),
      413,
    ],
  ])('a client gets no 100 Continue %s, and the connection ends', async (_, bytes, status) => {
    const raw = await open(unhurried(), bytes())
    await once(raw.socket, 'close')
    expect(raw.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*Connection: close`))
  })

  test('a client gets 100 Continue when the route reads its body', async () => {
    const raw = await open(unhurried(), orderHead('198.51.100.2', waiting))
    expect(await statusOf(raw)).toBe(100)
    raw.socket.write('{}')
    await expect.poll(raw.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /)
    raw.socket.destroy()
  })
})

test('a Content-Length above 64 KiB is refused before the body arrives', async () => {
  const raw = await open(unhurried(), orderHead('198.51.100.3', 'Content-Length: 65537\r\n\r\n'))
  expect(await statusOf(raw)).toBe(413)
  raw.socket.destroy()
})

describe('a body that does not arrive within its time', () => {
  const expectTooSlow = (raw: Raw) => {
    expect(raw.text()).toMatch(/^HTTP\/1\.1 408 /)
    expect(raw.text()).toMatch(/\r\nConnection: close\r\n/)
    expect(raw.text()).toContain('"code":"REQUEST_TIMEOUT"')
    expect(raw.text()).not.toMatch(/x-ratelimit/i)
  }

  test.each<[string, () => string]>([
    ['an order without its body', () => orderHead('198.51.100.4', 'Content-Length: 100\r\n\r\n')],
    ['an order that stops', () => orderHead('198.51.100.4', half)],
    [
      'an order that stops near its end',
      () => orderHead('198.51.100.4', `Content-Length: 60001\r\n\r\n${' '.repeat(60_000)}`),
    ],
    ['a push that stops', () => pushHead({ from: '198.51.100.4', more: half })],
  ])('gets 408, and the connection ends: %s', async (_, bytes) => {
    const raw = await open(hasty(), bytes())
    await once(raw.socket, 'close')
    expectTooSlow(raw)
  })

  test('gets 408 although it keeps arriving byte by byte', async () => {
    const raw = await open(hasty(), orderHead('198.51.100.4', half))
    const drip = setInterval(() => raw.socket.write(' '), 20)
    await once(raw.socket, 'close')
    clearInterval(drip)
    expectTooSlow(raw)
  })

  test('counts against the rate limit if it is a push', async () => {
    const left = async () => {
      const answer = await hasty().get('/b2b/balance', {
        key: partner().key,
        headers: { 'x-forwarded-for': '198.51.100.5' },
      })
      return Number(answer.headers['x-ratelimit-remaining'])
    }
    const before = await left()
    const raw = await open(hasty(), pushHead({ from: '198.51.100.5', more: half }))
    await once(raw.socket, 'close')
    expect(await left()).toBe(before - 2)
  })

  test('after its push was refused ends the connection, without a second answer', async () => {
    const raw = await open(hasty(), pushHead({ from: '198.51.100.4', signature: '', more: half }))
    await once(raw.socket, 'close')
    expect(raw.text().match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 401'])
  })
})

describe('bodies in flight', () => {
  const pushesOfOneClient = 64

  test('pushes are bounded for each client and in all, and leave room for orders', async () => {
    const stalled: Raw[] = []
    const stall = async (from: string, count: number) => {
      const more = await Promise.all(times(count, () => open(unhurried(), pushHead({ from, more: half }))))
      stalled.push(...more)
      return more
    }
    const answered = (raws: Raw[]) => raws.filter((raw) => raw.status() !== undefined)

    const own = await stall('203.0.113.1', pushesOfOneClient + 3)
    await expect.poll(() => answered(own).length).toBe(3)
    for (const raw of answered(own)) {
      expect(raw.text()).toMatch(/^HTTP\/1\.1 429 /)
      expect(raw.text()).toMatch(/\r\nRetry-After: \d+\r\n/)
      expect(raw.text()).toContain('"code":"RATE_LIMITED","retryAfter":')
    }

    for (const from of ['203.0.113.2', '203.0.113.3', '2001:db8::1']) await stall(from, pushesOfOneClient)
    const [other] = await stall('203.0.113.5', 1)
    if (other === undefined) throw new Error('no connection was opened')
    expect(await statusOf(other)).toBe(503)
    expect(other.text()).toMatch(/\r\nRetry-After: \d+\r\n/)
    expect(other.text()).not.toMatch(/x-ratelimit/i)

    const placed = await open(unhurried(), order('203.0.113.1', 'beside stalled pushes'))
    expect(await statusOf(placed)).toBe(201)

    for (const raw of [...stalled, placed]) raw.socket.destroy()
    await expect
      .poll(
        async () => {
          const retried = await open(
            unhurried(),
            pushHead({ from: '203.0.113.5', more: 'Content-Length: 2\r\n\r\n{}' }),
          )
          const status = await statusOf(retried)
          retried.socket.destroy()
          return status
        },
        { timeout: 45_000 },
      )
      .toBe(401)
  })

  test.each<[string, number, () => string]>([
    ['the events of suppliers', pushesOfOneClient, () => eventHead('203.0.113.40', half)],
    ['orders', 256, () => orderHead('203.0.113.20', half)],
  ])('%s are bounded for each client', async (_, limit, head) => {
    const raws = await Promise.all(times(limit + 2, () => open(unhurried(), head())))
    await expect.poll(() => raws.filter((raw) => raw.status() === 429).length).toBe(2)
    const placed = await open(unhurried(), order('203.0.113.21', `beside ${limit} stalled bodies`))
    expect(await statusOf(placed)).toBe(201)
    for (const raw of [...raws, placed]) raw.socket.destroy()
  })
})

describe('a body in chunks of one byte', () => {
  test('is an order like any other', async () => {
    const body = `${chunked}${crumbs(orderBody('crumbs'))}0\r\n\r\n`
    const raw = await open(unhurried(), orderHead('198.51.100.7', body))
    expect(await statusOf(raw)).toBe(201)
    raw.socket.destroy()
  })

  test.each<[string, () => string]>([
    ['a refused push', () => pushHead({ from: '198.51.100.8', signature: '', more: chunked })],
    ['a read', () => `GET /livez HTTP/1.1\r\nHost: x\r\n${chunked}`],
    ['a request to no route', () => `POST /nothing HTTP/1.1\r\nHost: x\r\n${chunked}`],
  ])('is not read without end after the answer: %s', async (_, head) => {
    const raw = await open(hasty(), head())
    await statusOf(raw)
    const flood = setInterval(() => raw.socket.write(crumbs(' '.repeat(1_000))), 5)
    await expect.poll(raw.closed).toBe(true)
    clearInterval(flood)
  })
})
