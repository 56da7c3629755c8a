import { rmSync } from 'node:fs'
import { startPostgres } from '../../src/embedded_postgres/start.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { release } from '../../src/release.ts'
import { newFolder, withSql } from '../embedded_postgres/support.ts'
import { writeDump } from './dump.ts'
import { liveThroughAMonth } from './month.ts'

// node test/upgrade/main.ts: writes the dump of a database of this release, for the tests of upgrades. It is the last step
// before the release is tagged, and is never done again for that release.
const folder = newFolder()
const server = await startPostgres({ dataDir: folder, durable: false, database: 'supply' })
try {
  await migrate({ databaseUrl: server.url })
  await withSql(server, async (sql) => {
    const known = await liveThroughAMonth(sql, server.url)
    console.log(`${await writeDump(sql, release, known)} bytes: test/upgrade/${release}.json.br`)
  })
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
