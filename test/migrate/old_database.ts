import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { defaultMigrationsDir } from '../../src/migrate/sql_files.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

/** A database for the tests of one file as it was before a migration, without functions. Call the result within tests. */
export function databaseBefore(migration: string): () => TestDatabase {
  const root = mkdtempSync(join(tmpdir(), `supply-ordering-before-${migration}-`))
  const before = { migrationsDir: join(root, 'migrations'), functionsDir: join(root, 'functions') }
  let database: TestDatabase
  beforeAll(async () => {
    for (const name of readdirSync(defaultMigrationsDir).filter((file) => file < migration)) {
      cpSync(join(defaultMigrationsDir, name), join(before.migrationsDir, name))
    }
    mkdirSync(before.functionsDir)
    database = await createTestDatabase({ empty: true })
    await migrate({ databaseUrl: database.url, ...before })
  })
  afterAll(async () => {
    await database.drop()
    rmSync(root, { recursive: true, force: true })
  })
  return () => database
}
