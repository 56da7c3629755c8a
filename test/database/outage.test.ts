import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { connectTo, type Database, isUnavailable } from '../../src/database/client.ts'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import { newFolder, serverPid, stopAndRemove, withSql } from '../embedded_postgres/support.ts'
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp_proxy.ts'
import { clientOptions } from './client_tests.ts'

type Fixtures = {
  'api.pid': { args: Record<string, never>; result: number | null }
  'api.sleep': { args: { seconds: number }; result: undefined }
}

const table = {
  'api.pid': { args: {}, returns: 'value' },
  'api.sleep': { args: { seconds: 'double precision' }, returns: 'void' },
} as const

const dataDir = newFolder()
let server: EmbeddedPostgres
let port: number
let db: Database<Fixtures>

beforeAll(async () => {
  server = await startPostgres({ dataDir, durable: true })
  port = Number(new URL(server.url).port)
  const functions = `
    create schema api;
    create function api.pid() returns int language sql return pg_backend_pid();
    create function api.sleep(seconds float8) returns void language sql as 'select pg_sleep(seconds)'`
  await withSql(server, (sql) => sql.unsafe(functions))
  db = client(server.url, 4)
})

afterEach(async () => {
  server = await startPostgres({ dataDir, durable: true, port })
})

afterAll(async () => {
  await db.end({ timeout: 0 })
  await stopAndRemove(server, dataDir)
})

function client(url: string, max: number): Database<Fixtures> {
  const times = { statementTimeoutMs: 1_000, lockTimeoutMs: 500, idleInTransactionMs: 1_000, deadlineMs: 1_500 }
  return connectTo<Fixtures>({ ...clientOptions, url, role: 'postgres', max, ...times }, table)
}

// Immediate shutdown: connections break off without a goodbye, as in a crash.
const killServer = () => process.kill(serverPid(server), 'SIGQUIT')

type Outcome = { ok: boolean; unavailable: boolean }

async function outcome(call: () => Promise<unknown>): Promise<Outcome> {
  try {
    await call()
    return { ok: true, unavailable: false }
  } catch (error) {
    return { ok: false, unavailable: isUnavailable(error) }
  }
}

test('the client finds a server again that crashed and restarted, and every call in between ends in time', async () => {
  const outcomes: Outcome[] = []
  let running = true
  const callers = Array.from({ length: 12 }, async (_, index) => {
    while (running) {
      outcomes.push(await outcome(() => (index % 2 ? db.call('api.pid') : db.call('api.sleep', { seconds: 0.02 }))))
      await sleep(1)
    }
  })
  const answered = (from: number, ok: boolean) =>
    expect.poll(() => outcomes.slice(from).some((one) => one.ok === ok)).toBe(true)

  for (let round = 0; round < 3; round += 1) {
    await answered(outcomes.length, true)
    killServer()
    await answered(outcomes.length, false)
    await expect.poll(() => outcomes.slice(-12).every((one) => !one.ok)).toBe(true)
    server = await startPostgres({ dataDir, durable: true, port })
    await answered(outcomes.length, true)
  }
  running = false
  await Promise.all(callers)
  expect(outcomes.filter(({ ok, unavailable }) => !ok && !unavailable)).toEqual([])
  const last = await Promise.all(Array.from({ length: 8 }, () => outcome(() => db.call('api.pid'))))
  expect(last.every(({ ok }) => ok)).toBe(true)
})

test('a connection on which the server falls silent is replaced', async () => {
  const one = client(server.url, 1)
  const pid = await one.call('api.pid')
  if (pid === null) throw new Error('no process id')
  process.kill(pid, 'SIGSTOP')
  const silent = await outcome(() => one.call('api.pid'))
  expect(silent).toMatchObject({ ok: false, unavailable: true })
  expect(await one.call('api.pid')).not.toBe(pid)
  process.kill(pid, 'SIGCONT')
  await one.end()
})

test('a client recovers from a network that swallows everything, once it carries again', async () => {
  const network = await startTcpProxy(server.url)
  const through = client(network.url, 3)
  const many = () => Promise.all(Array.from({ length: 10 }, () => outcome(() => through.call('api.pid'))))

  expect((await many()).every(({ ok }) => ok)).toBe(true)
  network.set('swallow')
  const lost = await many()
  expect(lost.every(({ ok, unavailable }) => !ok && unavailable)).toBe(true)
  network.set('pass')
  await expect.poll(async () => (await many()).every(({ ok }) => ok)).toBe(true)

  await through.end({ timeout: 0 })
  await network.close()
})

describe('where the network forgets all connections of now', () => {
  const connections = 3
  let network: TcpProxy
  let through: Database<Fixtures>
  const many = () => Promise.all(Array.from({ length: connections }, () => outcome(() => through.call('api.pid'))))

  beforeEach(async () => {
    network = await startTcpProxy(server.url)
    through = client(network.url, connections)
    // How long a connection was idle is up to the test.
    vi.useFakeTimers({ toFake: ['performance'] })
    // Calls at the same moment have a connection each.
    expect((await many()).every(({ ok }) => ok)).toBe(true)
  })
  afterEach(async () => {
    vi.useRealTimers()
    await through.end({ timeout: 0 })
    await network.close()
  })

  test('one call is lost on a connection that was just in use, and no later one', async () => {
    network.forget()
    expect(await outcome(() => through.call('api.pid'))).toMatchObject({ ok: false, unavailable: true })
    expect((await many()).map(({ ok }) => ok)).toEqual([true, true, true])
  })

  test('no call is lost on those that were idle for a second', async () => {
    network.forget()
    vi.advanceTimersByTime(1_000)
    expect((await many()).map(({ ok }) => ok)).toEqual([true, true, true])
  })
})

test('the client can be ended while the server is down', async () => {
  const one = client(server.url, 3)
  await Promise.all([one.call('api.pid'), one.call('api.pid')])
  await server.stop()
  await one.end({ timeout: 1 })
})
