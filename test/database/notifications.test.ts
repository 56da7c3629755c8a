import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { listenTo, type Notifications } from '../../src/database/connections/notifications.ts'
import { testDatabase } from '../support/database.ts'
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp_proxy.ts'

const database = testDatabase()
const polling = { timeout: 45_000, interval: 10 }
let proxy: TcpProxy
let notifications: Notifications
beforeAll(async () => {
  proxy = await startTcpProxy(database.url)
})
afterEach(async () => {
  await notifications.end()
  proxy.set('pass')
})
afterAll(() => proxy.close())

/** Listens, and keeps what it heard and how often it began to listen. */
function listen() {
  const said: string[] = []
  const kept = { said, begun: 0, lost: [] as string[] }
  notifications = listenTo({
    ...{
      url: proxy.url,
      channel: 'news',
      role: 'supply_api',
      applicationName: 'listener',
      askIntervalMs: 100,
    },
    onNotification: (payload) => said.push(payload),
    onListening: () => {
      kept.begun += 1
    },
    onLost: (reason) => kept.lost.push(reason),
  })
  return kept
}

const tell = (what: string) => database.sql`select pg_notify('news', ${what})`
const sessions = () => database.sql`
  select usename, pid from pg_stat_activity where application_name = 'listener' and datname = current_database()`

test('a listener gets each notification over one connection, and none after its end', async () => {
  const kept = listen()
  await expect.poll(() => kept.begun, polling).toBe(1)
  await tell('one')
  await tell('two')
  await expect.poll(() => kept.said, polling).toEqual(['one', 'two'])
  expect(await sessions()).toHaveLength(1)
  await notifications.end()
  await expect.poll(sessions, polling).toHaveLength(0)
  expect(kept.lost).toEqual([])
})

test('a listener replaces a connection that ended, and reports the loss once', async () => {
  const kept = listen()
  await expect.poll(() => kept.begun, polling).toBe(1)
  proxy.set('refuse')
  for (const { pid } of await sessions()) await database.sql`select pg_terminate_backend(${pid})`
  const before = proxy.connections()
  await expect.poll(() => proxy.connections() - before, polling).toBeGreaterThan(2)
  proxy.set('pass')
  await expect.poll(() => kept.begun, polling).toBe(2)
  await tell('again')
  await expect.poll(() => kept.said, polling).toEqual(['again'])
  expect(kept.lost).toHaveLength(1)
})

test('a listener replaces a connection that fell silent', async () => {
  const kept = listen()
  await expect.poll(() => kept.begun, polling).toBe(1)
  proxy.forget()
  await expect.poll(() => kept.begun, polling).toBe(2)
  await tell('again')
  await expect.poll(() => kept.said, polling).toEqual(['again'])
  expect(kept.lost).toEqual(['the connection fell silent'])
})
