import { afterEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { startServer } from '../../src/http/server.ts'
import { createLog } from '../../src/log.ts'
import { expectedVersion } from '../../src/migrate/sql_files.ts'
import { createSite } from '../../src/site/site.ts'
import { testDatabase } from '../support/database.ts'
import { freePort } from '../support/servers/free_port.ts'
import { testApi } from '../support/service.ts'

const database = testDatabase()
const api = testApi(() => database.url)

afterEach(() => void vi.useRealTimers())

test('an API whose port is taken leaves nothing running', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const metricsPort = await freePort()
  const config = { ...loadConfig({ DATABASE_URL: database.url }), port: api().port, metricsPort }
  const starting = startServer({
    db: api().db,
    config,
    site: createSite(config),
    log: createLog('fatal'),
    expected: expectedVersion(),
  })
  await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE', port: api().port })
  expect(vi.getTimerCount()).toBe(0)
  await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow()
})
