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
