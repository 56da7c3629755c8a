import { writeFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import type { LoginPasswords } from '../../src/migrate/logins.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { newFolder, stopAndRemove } from '../embedded_postgres/support.ts'

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
  await stopAndRemove(server, dataDir)
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

const bounds = `
  select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('lock_timeout') as lock,
    current_setting('statement_timeout') as statement, current_setting('transaction_timeout', true) as transaction`
const bounded = { idle: '1min', lock: '5s', statement: '1min', transaction: '5min' }

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

  test('has the rights of its role', async () => {
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
      await expect(client.query('select from graphile_worker._private_jobs')).rejects.toThrow('permission denied')
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

describe('the login of the operators', () => {
  const operator = () => login('supply_operator_login', 'password-of-the-operator')
  // After the test that there is none without a password.
  beforeAll(() => migrateWith({ operator: 'password-of-the-operator' }))

  test('has the rights of its role as it comes in, and may make no others', async () => {
    await as(operator(), async (client) => {
      await client.query('select from ops.accounts')
      await expect(client.query('select from supply.accounts')).rejects.toThrow('permission denied')
      await expect(client.query(`select ops.add_operator('eve')`)).rejects.toMatchObject({
        code: '42501',
        message: 'permission denied for function add_operator',
      })
    })
  })

  test('delays no other session with a transaction that it leaves open', async () => {
    await as(operator(), async (client) => {
      const { rows } = await client.query(bounds)
      expect(rows[0]).toEqual(bounded)
    })
  })
})

describe('an operator who was added', () => {
  const add = async (name: string) =>
    as(login('shop', 'password-of-the-shop'), async (client) => {
      const { rows } = await client.query<{ password: string }>('select ops.add_operator($1) as password', [name])
      return rows[0]?.password ?? ''
    })

  test('comes in with the password, does his work, and is named in the log', async () => {
    const password = await add('anna')
    expect(password).toMatch(/^[0-9a-f]{48}$/)
    await as(login('anna', password), async (client) => {
      await client.query(`select ops.create_account('Acme')`)
      expect((await client.query(bounds)).rows[0]).toEqual(bounded)
      const { rows } = await client.query(
        'select who, action, subject from ops.operator_log order by log_id desc limit 2',
      )
      expect(rows).toEqual([
        { who: 'anna', action: 'create_account', subject: 'account 1' },
        { who: 'shop', action: 'add_operator', subject: 'login anna' },
      ])
    })
  })

  test('reads every view of ops, and may call every function of it but those of the owner', async () => {
    await as(login('anna3', await add('anna3')), async (client) => {
      const { rows } = await client.query<{ name: string; is_view: boolean; callable: boolean }>(`
        select relname as name, true as is_view, true as callable from pg_class
        where relnamespace = 'ops'::regnamespace and relkind = 'v'
        union all
        select proname, false, has_function_privilege(oid, 'execute') from pg_proc where pronamespace = 'ops'::regnamespace`)
      for (const { name, is_view } of rows) if (is_view) await client.query(`select * from ops.${name} limit 1`)
      expect(
        rows
          .filter(({ callable }) => !callable)
          .map(({ name }) => name)
          .sort(),
      ).toEqual([...['add_operator', 'set_amount_limit', 'set_approval', 'trust_supplier_host']])
      expect(rows.length).toBeGreaterThan(50)
    })
  })

  test('can neither write nor read tables, nor become another, nor make operators', async () => {
    await as(login('anna2', await add('anna2')), async (client) => {
      for (const statement of [
        `insert into supply.accounts (name, currency) values ('x', 'RUB')`,
        'update ops.accounts set balance = 1',
        'select secret from supply.webhook_secrets',
        'select code from supply.item_keys',
        'select token from supply.suppliers',
        'select from graphile_worker._private_jobs',
        `select core.log_operator('x', 'y')`,
        'select * from api.readiness()',
        'set role supply_owner',
        'set role supply_worker',
        'create role eve',
        'create schema eve',
        'create temporary table eve (id int)',
        `select ops.add_operator('eve')`,
      ])
        await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' })
    })
  })

  test('is not made twice, nor under a name that is not free for it', async () => {
    await add('boris')
    await expect(add('boris')).rejects.toMatchObject({ code: '42710', hint: expect.stringContaining('drop role') })
    for (const name of ['', 'Boris', 'supply_api_login', 'pg_boris', 'a b'])
      await expect(add(name), name).rejects.toMatchObject({ code: '22023' })
  })
})
