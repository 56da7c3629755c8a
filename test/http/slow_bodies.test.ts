import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { testApi } from '../support/service.ts'

/** Bodies that a stranger, or a partner, sends in part, slowly or in crumbs. */

const database = testDatabase()
const config = { trustProxyHops: 1 }
const never = 1_000_000
const unhurried = testApi(() => database.url, { config, times: { bodyWindowMs: never, unreadMs: never } })
const hasty = testApi(() => database.url, { config, times: { bodyWindowMs: 300, unreadMs: 300 } })

let partner: Partner
beforeAll(async () => {
  partner = await makePartner(database.sql, { balance: 100_000 })
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:1', token: 'push-token' })
  await database.sql`select ops.upsert_supplier('upstream', 'http://127.0.0.1:1', 'token', 'b2b')`
  await database.sql`update supply.suppliers set push_secret = 'secret' where code = 'upstream'`
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
  `POST /b2b/orders HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nX-Api-Key: ${partner.key}\r\n` +
  `Content-Type: application/json\r\n${more}`
const half = 'Content-Length: 60000\r\n\r\n{'
const crumbs = (body: string) => [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
const times = <T>(count: number, work: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => work(i))

const statusOf = async (raw: Raw) => {
  await expect.poll(raw.status, { timeout: 20_000 }).toBeDefined()
  return raw.status()
}
const orderBody = (externalOrderId: string) =>
  JSON.stringify({ externalOrderId, items: [{ productId: products.key }] })
const order = (from: string, externalOrderId: string) => {
  const body = orderBody(externalOrderId)
  return orderHead(from, `Content-Length: ${body.length}\r\n\r\n${body}`)
}

describe('a push that its headers show to be none is refused before its body has come', () => {
  const cases: [string, Omit<Push, 'from'>][] = [
    ['an unknown supplier', { supplier: 'unknown' }],
    ['a supplier whose name is none', { supplier: '%00' }],
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

  test('the rest of the body is forgotten, and the connection serves the next request', async () => {
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

  test('one that could be good waits for its body', async () => {
    const raw = await open(
      unhurried(),
      pushHead({ from: '198.51.100.1', more: 'Content-Length: 2\r\n\r\n{' }),
    )
    await unhurried().get('/livez')
    expect(raw.status()).toBeUndefined()
    raw.socket.write('}')
    expect(await statusOf(raw)).toBe(401)
    raw.socket.destroy()
  })
})

describe('a client that waits to be told to go on', () => {
  const waiting = 'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n'

  test.each<[string, () => string, number]>([
    ['with a wrong key', () => orderHead('198.51.100.2', waiting).replace(partner.key, 'wrong'), 401],
    ['with a push that is none', () => pushHead({ from: '198.51.100.2', signature: '', more: waiting }), 401],
    ['to no route', () => `POST /nothing HTTP/1.1\r\nHost: x\r\n${waiting}`, 404],
    [
      'with a body that is too large',
      () => orderHead('198.51.100.2', 'Expect: 100-continue\r\nContent-Length: 70000\r\n\r\n'),
      413,
    ],
  ])('is not told so %s, and the connection ends', async (_, bytes, status) => {
    const raw = await open(unhurried(), bytes())
    await once(raw.socket, 'close')
    expect(raw.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*Connection: close`))
  })

  test('is told so when its body is wanted', async () => {
    const raw = await open(unhurried(), orderHead('198.51.100.2', waiting))
    expect(await statusOf(raw)).toBe(100)
    raw.socket.write('{}')
    await expect.poll(raw.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /)
    raw.socket.destroy()
  })
})

test('a body that is too large by its own words is refused before it comes', async () => {
  const raw = await open(unhurried(), orderHead('198.51.100.3', 'Content-Length: 65537\r\n\r\n'))
  expect(await statusOf(raw)).toBe(413)
  raw.socket.destroy()
})

describe('a body that comes too slowly', () => {
  const expectTooSlow = (raw: Raw) => {
    expect(raw.text()).toMatch(/^HTTP\/1\.1 408 /)
    expect(raw.text()).toMatch(/\r\nConnection: close\r\n/)
    expect(raw.text()).toContain('"code":"REQUEST_TIMEOUT"')
    expect(raw.text()).not.toMatch(/x-ratelimit/i)
  }

  test.each<[string, () => string]>([
    ['an order of which nothing comes', () => orderHead('198.51.100.4', 'Content-Length: 100\r\n\r\n')],
    ['an order that stops', () => orderHead('198.51.100.4', half)],
    [
      'an order that stops near its end',
      () => orderHead('198.51.100.4', `Content-Length: 60001\r\n\r\n${' '.repeat(60_000)}`),
    ],
    ['a push that stops', () => pushHead({ from: '198.51.100.4', more: half })],
  ])('is cut off with 408: %s', async (_, bytes) => {
    const raw = await open(hasty(), bytes())
    await once(raw.socket, 'close')
    expectTooSlow(raw)
  })

  test('also where it goes on in crumbs', async () => {
    const raw = await open(hasty(), orderHead('198.51.100.4', half))
    const drip = setInterval(() => raw.socket.write(' '), 20)
    await once(raw.socket, 'close')
    clearInterval(drip)
    expectTooSlow(raw)
  })

  test('is counted where it is a push', async () => {
    const left = async () => {
      const answer = await hasty().get('/b2b/balance', {
        key: partner.key,
        headers: { 'x-forwarded-for': '198.51.100.5' },
      })
      return Number(answer.headers['x-ratelimit-remaining'])
    }
    const before = await left()
    const raw = await open(hasty(), pushHead({ from: '198.51.100.5', more: half }))
    await once(raw.socket, 'close')
    expect(await left()).toBe(before - 2)
  })

  test('is not one that brings enough each time', async () => {
    const body = orderBody('steady').padEnd(60_000)
    const raw = await open(hasty(), orderHead('198.51.100.6', `Content-Length: ${body.length}\r\n\r\n`))
    for (let at = 0; at < body.length; at += 6_000) {
      raw.socket.write(body.slice(at, at + 6_000))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(await statusOf(raw)).toBe(201)
    raw.socket.destroy()
  })

  test('and what was refused is not waited for long', async () => {
    const raw = await open(hasty(), pushHead({ from: '198.51.100.4', signature: '', more: half }))
    await once(raw.socket, 'close')
    expect(raw.status()).toBe(401)
  })
})

describe('the bodies that are under way', () => {
  const pushesOfOneClient = 64

  test('are bounded for each client, then for all; orders have their places beside pushes', async () => {
    const stalled: Raw[] = []
    const stall = async (from: string, count: number) => {
      const more = await Promise.all(times(count, () => open(unhurried(), pushHead({ from, more: half }))))
      stalled.push(...more)
      return more
    }
    const answered = (raws: Raw[]) => raws.filter((raw) => raw.status() !== undefined)

    const own = await stall('203.0.113.1', pushesOfOneClient + 3)
    await expect.poll(() => answered(own).length, { timeout: 20_000 }).toBe(3)
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
        { timeout: 20_000 },
      )
      .toBe(401)
  })

  test('of suppliers’ events have the places of pushes, and none of orders', async () => {
    const raws = await Promise.all(
      times(pushesOfOneClient + 2, () => open(unhurried(), eventHead('203.0.113.40', half))),
    )
    const refused = () => raws.filter((raw) => raw.status() === 429).length
    await expect.poll(refused, { timeout: 20_000 }).toBe(2)
    for (const raw of raws) raw.socket.destroy()
  })

  test('are bounded in bytes as well', async () => {
    const sent = `Content-Length: 60001\r\n\r\n${' '.repeat(60_000)}`
    const raws = await Promise.all(
      times(40, () => open(unhurried(), pushHead({ from: '203.0.113.30', more: sent }))),
    )
    // Two MiB hold 32 to 34 of them.
    const refused = () => raws.filter((raw) => raw.status() === 429).length
    await expect.poll(refused, { timeout: 20_000 }).toBeGreaterThanOrEqual(6)
    expect(refused()).toBeLessThanOrEqual(8)
    for (const raw of raws) raw.socket.destroy()
  })

  test('a partner may not take the places of the others', async () => {
    const ordersOfOneClient = 256
    const raws = await Promise.all(
      times(ordersOfOneClient + 2, () => open(unhurried(), orderHead('203.0.113.20', half))),
    )
    const refused = () => raws.filter((raw) => raw.status() === 429).length
    await expect.poll(refused, { timeout: 20_000 }).toBe(2)
    const placed = await open(unhurried(), order('203.0.113.21', 'beside stalled orders'))
    expect(await statusOf(placed)).toBe(201)
    for (const raw of [...raws, placed]) raw.socket.destroy()
  })
})

describe('a body in chunks of one byte', () => {
  test('is read', async () => {
    const body = `${chunked}${crumbs(orderBody('crumbs'))}0\r\n\r\n`
    const raw = await open(unhurried(), orderHead('198.51.100.7', body))
    expect(await statusOf(raw)).toBe(201)
    raw.socket.destroy()
  })

  test('is refused where there are far too many of them', async () => {
    const raw = await open(unhurried(), orderHead('198.51.100.7', chunked + crumbs(' '.repeat(20_000))))
    expect(await statusOf(raw)).toBe(413)
    raw.socket.destroy()
  })

  test.each<[string, () => string]>([
    ['a refused push', () => pushHead({ from: '198.51.100.8', signature: '', more: chunked })],
    ['a read', () => `GET /livez HTTP/1.1\r\nHost: x\r\n${chunked}`],
    ['a request to no route', () => `POST /nothing HTTP/1.1\r\nHost: x\r\n${chunked}`],
  ])('is not parsed without end after the answer: %s', async (_, head) => {
    const raw = await open(unhurried(), head())
    await statusOf(raw)
    const flood = setInterval(() => raw.socket.write(crumbs(' '.repeat(1_000))), 5)
    await once(raw.socket, 'close')
    clearInterval(flood)
  })
})
