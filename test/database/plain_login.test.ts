import { rmSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../src/database/client.ts'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { newFolder } from '../embedded_postgres/support.ts'

// Roles belong to the whole server, so this needs one where a superuser has not made them before.
const dataDir = newFolder()
let server: EmbeddedPostgres
let databaseUrl: string

beforeAll(async () => {
  server = await startPostgres({ dataDir, durable: false })
  const superuser = new pg.Client({ connectionString: server.url })
  await superuser.connect()
  await superuser.query(`create role shop login createrole password 'shop'`)
  await superuser.query('create database shop owner shop')
  await superuser.end()
  const url = new URL(server.url)
  url.username = 'shop'
  url.password = 'shop'
  url.pathname = '/shop'
  databaseUrl = url.href
})

afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

test('a login that owns its database and may create roles can migrate it and serve from it', async () => {
  expect(await migrate({ databaseUrl })).toMatchObject({ codeReloaded: true })
  expect(await migrate({ databaseUrl })).toEqual({ applied: [], codeReloaded: false })
  const db = connect({
    url: databaseUrl,
    role: 'supply_api',
    max: 1,
    statementTimeoutMs: 3_000,
    lockTimeoutMs: 1_000,
    idleInTransactionMs: 5_000,
    deadlineMs: 4_000,
    applicationName: 'plain login test',
  })
  expect(await db.call('api.readiness')).toHaveLength(1)
  await db.end()
})
