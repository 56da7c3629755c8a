import { rmSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LoginPasswords } from '../../src/migrate/logins.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { type EmbeddedPostgres, startPostgres } from '../../src/postgres/index.ts'
import { newFolder } from '../postgres/support.ts'

// Logins belong to the whole server and their passwords have to count, so this needs a server of its own.
const dataDir = newFolder()
const passwords = { api: 'password-of-the-api', worker: 'password-of-the-worker' }
let server: EmbeddedPostgres

beforeAll(async () => {
  server = await startPostgres({ dataDir, durable: false })
  await as(superuser(), async (client) => {
    await client.query(`create role shop login createrole password 'password-of-the-shop'`)
    await client.query('create database shop owner shop')
    const { rows } = await client.query<{ hba_file: string }>('show hba_file')
    const trusted = new URL(server.url).username
    writeFileSync(
      rows[0]?.hba_file ?? '',
      `host all ${trusted} all trust\nlocal all all trust\nhost all all all scram-sha-256\n`,
    )
    await client.query('select pg_reload_conf()')
  })
  await migrateWith(passwords)
})

afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

function superuser(): string {
  return server.url
}

function login(name: string, password: string): string {
  const url = new URL(server.url)
  url.username = name
  url.password = password
  url.pathname = '/shop'
  return url.href
}

const api = (password = passwords.api) => login('supply_api_login', password)
const worker = (password = passwords.worker) => login('supply_worker_login', password)

function migrateWith(given: LoginPasswords) {
  return migrate({ databaseUrl: login('shop', 'password-of-the-shop'), logins: given })
}

async function as<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

describe('the login of a process', () => {
  test('takes its password and no other', async () => {
    await as(api(), (client) => client.query('select 1'))
    await expect(as(api(passwords.worker), async () => {})).rejects.toThrow('password authentication failed')
  })

  test('may do what its role may do', async () => {
    await as(api(), async (client) => {
      await client.query('set role supply_api')
      expect((await client.query('select migration from api.readiness()')).rowCount).toBe(1)
    })
    await as(worker(), async (client) => {
      await client.query('set role supply_worker')
      await client.query('select work.sweep()')
    })
  })

  test('may do nothing once it has left its role', async () => {
    await as(api(), async (client) => {
      await client.query('set role supply_api')
      await client.query('set role none')
      await expect(client.query('select api.readiness()')).rejects.toThrow('permission denied')
      await expect(client.query('select from supply.accounts')).rejects.toThrow('permission denied')
      await expect(client.query('select from graphile_worker._private_jobs')).rejects.toThrow(
        'permission denied',
      )
    })
  })

  test.each(['supply_owner', 'supply_worker', 'supply_operator', 'shop'])(
    'of the API cannot become %s',
    async (role) => {
      await as(api(), async (client) => {
        await expect(client.query(`set role ${role}`)).rejects.toThrow('permission denied')
      })
    },
  )

  test('can create neither roles nor databases', async () => {
    await as(superuser(), async (client) => {
      const { rows } = await client.query(
        `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles
         where rolname in ('supply_api_login', 'supply_worker_login')`,
      )
      const none = {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
      }
      expect(rows).toEqual([none, none])
    })
  })
})

test('a later migration changes the password that it is given, and leaves the others', async () => {
  await migrateWith({ api: 'next-password-of-the-api' })
  await as(api('next-password-of-the-api'), (client) => client.query('select 1'))
  await expect(as(api(), async () => {})).rejects.toThrow('password authentication failed')
  await as(worker(), (client) => client.query('select 1'))
})

test('a process without a password gets no login', async () => {
  await as(superuser(), async (client) => {
    const { rowCount } = await client.query(`select from pg_roles where rolname = 'supply_operator_login'`)
    expect(rowCount).toBe(0)
  })
})
