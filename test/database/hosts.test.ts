import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { connectTo, type Database, isUnavailable } from '../../src/database/client.ts'
import { addressOf, hostsOf } from '../../src/database/connections/hosts.ts'
import { testDatabase } from '../support/database.ts'
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp_proxy.ts'
import { clientOptions } from './client_tests.ts'

// Ways to the same server stand for several servers.
type Fixtures = {
  'api.pid': { args: Record<string, never>; result: number | null }
  'api.sleep': { args: { seconds: number }; result: undefined }
  'api.refuse': { args: Record<string, never>; result: undefined }
}

const table = {
  'api.pid': { args: {}, returns: 'value' },
  'api.sleep': { args: { seconds: 'double precision' }, returns: 'void' },
  'api.refuse': { args: {}, returns: 'void' },
} as const

const database = testDatabase()
const closing: (() => Promise<unknown>)[] = []
const max = 4

beforeAll(async () => {
  await database.sql.unsafe(`
    create function api.pid() returns int language sql return pg_backend_pid();
    create function api.sleep(seconds float8) returns void language sql as 'select pg_sleep(seconds)';
    create function api.refuse() returns void language plpgsql
      as $$ begin raise exception using errcode = 'read_only_sql_transaction'; end $$`)
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function startWay(mode: 'pass' | 'refuse' | 'swallow' = 'pass'): Promise<TcpProxy> {
  const way = await startTcpProxy(database.url)
  way.set(mode)
  closing.push(way.close)
  return way
}

function urlOf(...ways: TcpProxy[]): string {
  const hosts = ways.map(({ port }) => `127.0.0.1:${port}`).join()
  return database.url.replace(new URL(database.url).host, hosts)
}

function client(url: string): Database<Fixtures> {
  const role = new URL(database.url).username
  const db = connectTo<Fixtures>({ ...clientOptions, url, role, max, deadlineMs: 3_000 }, table)
  closing.unshift(() => db.end({ timeout: 0 }))
  return db
}

/** Whether each of some calls at once, more than there are connections, was answered. */
async function answered(db: Database<Fixtures>): Promise<boolean> {
  const calls = Array.from({ length: 3 * max }, () => db.call('api.sleep', { seconds: 0.01 }))
  const results = await Promise.allSettled(calls)
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(reasons.filter((reason) => !isUnavailable(reason))).toEqual([])
  return reasons.length === 0
}

test('a server that is silent or gone is probed once, not by every call', async () => {
  const ways = [await startWay('swallow'), await startWay('refuse'), await startWay()] as const
  const db = client(urlOf(...ways))
  expect(await answered(db)).toBe(true)
  const asked = () => ways.slice(0, 2).map((way) => way.connections())
  const before = asked()
  for (let round = 0; round < 3; round += 1) expect(await answered(db)).toBe(true)
  expect(asked()).toEqual(before)
})

test('the pool takes the first server if it is right', async () => {
  const ways = [await startWay(), await startWay()] as const
  const db = client(urlOf(...ways))
  expect(await answered(db)).toBe(true)
  expect(ways[0].connections()).toBeGreaterThan(max)
  expect(ways[1].connections()).toBe(1)
})

test.each(['refuse', 'swallow'] as const)(
  'when its server begins to %s, the pool goes to another, and no call meets an old connection again',
  async (fault) => {
    const [first, second] = [await startWay(), await startWay()]
    const db = client(urlOf(first, second))
    expect(await answered(db)).toBe(true)
    first.set(fault)
    await db.call('api.pid').catch(() => {})
    await expect.poll(() => hostsOf(urlOf(first, second)).current.port).toBe(second.port)
    const before = first.connections()
    for (let round = 0; round < 3; round += 1) expect(await answered(db)).toBe(true)
    expect(first.connections()).toBe(before)
  },
)

test('while no server is right, calls are refused with the reason of each; the pool takes the first that is right again', async () => {
  const ways = [await startWay('refuse'), await startWay('refuse')] as const
  const db = client(urlOf(...ways))
  const refusal = await db.call('api.pid').catch((error: Error) => error)
  expect(isUnavailable(refusal)).toBe(true)
  const server = String.raw`127\.0\.0\.1:\d+: \w+`
  expect(refusal).toMatchObject({ message: expect.stringMatching(new RegExp(`: ${server}; ${server}$`)) })
  ways[1].set('pass')
  await expect.poll(() => answered(db)).toBe(true)
})

test('a caller that waits for a server is notified once that there is none, and gets the first that comes', async () => {
  const ways = [await startWay('refuse'), await startWay('refuse')] as const
  const told: string[] = []
  const waiting = hostsOf(urlOf(...ways)).wait(20_000, ({ message }) => {
    told.push(message)
  })
  await expect.poll(() => ways[0].connections()).toBeGreaterThan(2)
  ways[0].set('pass')
  expect(await waiting).toMatchObject({ port: ways[0].port })
  expect(told).toHaveLength(1)
})

test('a server without a free connection still serves over the open ones', async () => {
  const [name, password] = [`full_${randomBytes(6).toString('hex')}`, 'a-password']
  const { sql } = database
  await sql.unsafe(
    `create role ${name} login password '${password}'; grant ${new URL(database.url).username} to ${name}`,
  )
  closing.push(async () => void (await sql.unsafe(`drop role ${name}`)))
  const url = new URL(urlOf(await startWay()))
  Object.assign(url, { username: name, password, search: '?target_session_attrs=read-write' })
  const db = client(url.href)
  expect(await answered(db)).toBe(true)
  await sql.unsafe(`alter role ${name} connection limit 0`)
  hostsOf(url.href).suspect(hostsOf(url.href).current)
  for (let call = 0; call < 5; call += 1) expect(await db.call('api.pid')).toBeGreaterThan(0)
})

test('a connection on which the server refuses to write is replaced', async () => {
  const db = client(database.url)
  const pids = () => Promise.all(Array.from({ length: max }, () => db.call('api.pid')))
  const before = await db.call('api.pid')
  const refusal = await db.call('api.refuse').catch((error: Error) => error)
  expect(isUnavailable(refusal)).toBe(true)
  expect(await pids()).not.toContain(before)
})

test('an IPv6 address reaches postgres.js as it is', () => {
  const { current } = hostsOf('postgres://u:p@[::1]:5433/supply')
  expect(addressOf(current)).toEqual({ host: ['::1'], port: [5433] })
})
