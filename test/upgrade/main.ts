import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../src/embedded_postgres/start.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { readMigrations } from '../../src/migrate/sql_files.ts'
import { release } from '../../src/release.ts'
import { newFolder, withSql } from '../embedded_postgres/support.ts'
import { writeDump } from './dump.ts'
import { liveThroughAMonth } from './month.ts'

// node test/upgrade/main.ts: the last step before a release is tagged. It freezes the migrations in db/migrations.sha256,
// and writes the dump of a database of this release, from which later releases test their upgrade.
const list = join(import.meta.dirname, '../../db/migrations.sha256')
const present = readMigrations().map(({ name, checksum }) => `${checksum}  ${name}.sql\n`)
const released = readFileSync(list, 'utf8').match(/.+\n/g) ?? []
const edited = released.filter((line) => !present.includes(line))
if (edited.length > 0) throw new Error(`released, and edited since; write a new migration: ${edited.join('')}`)

const folder = newFolder()
const server = await startPostgres({ dataDir: folder, durable: false, database: 'supply' })
try {
  await migrate({ databaseUrl: server.url })
  await withSql(server, async (sql) => {
    const known = await liveThroughAMonth(sql, server.url)
    console.log(`${await writeDump(sql, release, known)} bytes: test/upgrade/${release}.json.br`)
  })
  writeFileSync(list, present.join(''))
  console.log(`${present.length} migrations are frozen`)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
