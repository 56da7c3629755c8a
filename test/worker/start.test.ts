import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import { loadConfig } from '../../src/config.ts'
import type { Database } from '../../src/database/client.ts'
import { createLog } from '../../src/log.ts'
import { startWorker } from '../../src/worker/index.ts'
import { testDatabase } from '../support/database.ts'
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp_proxy.ts'

const database = testDatabase()
let db: Database
let network: TcpProxy

beforeAll(async () => {
  db = connectWorker(database.url)
  network = await startTcpProxy(database.url)
})
afterAll(async () => {
  await db.end()
  await network.close()
})

// Where the worker does not handle the error, vitest reports an uncaught exception of this file.
test('a worker whose database breaks off while it looks for a pooler rejects its start', async () => {
  const config = loadConfig({ DATABASE_URL: network.url })
  const lost = network.loseAnswerWith('pid\0')
  const started = startWorker({ databaseUrl: network.url, db, config, log: createLog('silent'), crontab: '' })
  await expect(started).rejects.toThrow('ECONNRESET')
  await lost
})

test('a heartbeat that is under way when its worker ends leaves no row of its pools', async () => {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isHeld = false
  let written: Promise<unknown> = Promise.resolve()
  const held = (async (name: string, args: object) => {
    const write = async () => {
      begun.resolve()
      await released.promise
      return await db.call(name as 'work.heartbeat', args as never)
    }
    if (name !== 'work.heartbeat' || !isHeld) return db.call(name as 'work.heartbeat', args as never)
    written = write()
    return await written
  }) as Database['call']
  const config = loadConfig({ DATABASE_URL: database.url })
  const options = {
    databaseUrl: database.url,
    db: { ...db, call: held },
    config,
    log: createLog('silent'),
    crontab: '',
  }
  const worker = await startWorker(options)
  isHeld = true
  await begun.promise
  const stopped = worker.stop()
  // Long enough to remove the pools, if nothing waits for the heartbeat.
  await Promise.race([stopped, sleep(2_000)])
  released.resolve()
  await Promise.all([stopped, written])
  expect(await database.sql`select from supply.worker_pools`).toEqual([])
})
