import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectTo, type Database } from '../../src/database/client.ts'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import { clientOptions } from '../database/client_tests.ts'
import { newFolder, stopAndRemove } from '../embedded_postgres/support.ts'
import { audit } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { database, fillWithMigrations } from '../support/servers/migrated_cluster.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/servers/pgbouncer.ts'
import { type ScriptedReceiver, startScriptedReceiver } from '../support/servers/scripted_receiver.ts'
import { type ScriptedSupplier, startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { type ServiceProcess, startProcess } from '../support/servers/service_process.ts'

const required = process.env.REQUIRE_PGBOUNCER === '1'
if (!hasPgBouncer && !required) console.info('no PgBouncer on this machine, hence not run: behind PgBouncer')

const passwords = { api: 'password-of-the-api', worker: 'password-of-the-worker' }
const logins = { supply_api_login: passwords.api, supply_worker_login: passwords.worker }
const made = { login_by_hand: 'password-made-by-hand' }
const polling = { interval: 50 }

type Fixtures = { 'api.hold': { args: { seconds: number }; result: undefined } }

const dataDir = newFolder()
const programs: ServiceProcess[] = []
let server: EmbeddedPostgres
let sql: postgres.Sql
let pooler: PgBouncer
let supplier: ScriptedSupplier
let receiver: ScriptedReceiver
let direct: (login: keyof typeof logins) => string

describe.skipIf(!hasPgBouncer && !required)('behind PgBouncer in transaction mode', () => {
  beforeAll(async () => {
    if (!hasPgBouncer) throw new Error('REQUIRE_PGBOUNCER=1, but there is no PgBouncer')
    await fillWithMigrations(dataDir)
    server = await startPostgres({ dataDir, durable: false, database })
    sql = postgres(server.url, { max: 5, onnotice: () => {} })
    pooler = await startPgBouncer(server.url, logins)
    direct = (login) => {
      const url = new URL(server.url)
      url.username = login
      url.password = logins[login]
      return url.href
    }
    await migrate()
    supplier = await startScriptedSupplier()
    supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
    receiver = await startScriptedReceiver()
    await makeCatalog(sql, supplier)
  })
  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.kill()))
    expect(await audit(sql)).toEqual([])
  })
  afterAll(async () => {
    await Promise.all([pooler?.close(), supplier?.close(), receiver?.close(), sql?.end({ timeout: 1 })])
    await stopAndRemove(server, dataDir)
  })

  test('orders of several accounts are placed, settled and delivered', async () => {
    const partners = await Promise.all([1, 2, 3, 4].map(() => makePartner(sql, { balance: 1_000 })))
    const api = await startApi()
    const worker = run('worker', workerSettings())
    await worker.says(/the worker runs/)

    const orders = await Promise.all(
      [...Array(40)].map(async (_, n) => {
        const partner = partners[n % partners.length] as Partner
        const externalOrderId = `${partner.accountId}-${n}`
        const place = () => order(api, partner, externalOrderId, receiver.url)
        // On a busy machine an order may not be placed in time. A repeat is the same order.
        let { status, json } = await place()
        while (status === 503) ({ status, json } = await place())
        expect([200, 201], JSON.stringify(json)).toContain(status)
        expect(json.data.externalOrderId).toBe(externalOrderId)
        return { partner, code: json.data.code }
      }),
    )

    // On a busy machine an attempt may time out. The next one comes a minute later.
    const delivered = () => new Set(receiver.deliveries().map(({ eventId }) => eventId)).size
    await expect.poll(delivered, { ...polling, timeout: 120_000 }).toBe(orders.length)
    for (const { partner, code } of orders) {
      expect((await get(api, `/b2b/orders/${code}`, partner)).json.data.status).toBe('completed')
    }
    for (const partner of partners) {
      expect((await get(api, '/b2b/balance', partner)).json.data.balance).toBe(1_000 - 10 * 10.5)
    }
    expect(await sessionsOf('supply_api_login')).toBeGreaterThan(1)
  })

  test('each login has its role and its time-outs, and can read no table', async () => {
    for (const [login, role, timeouts] of [
      ['supply_api_login', 'supply_api', '2500ms 1s 5s off'],
      ['supply_worker_login', 'supply_worker', '10s 2s 10s off'],
    ] as const) {
      const session = postgres(pooler.url(login), { max: 1, prepare: false, onnotice: () => {} })
      const [row] = await session`select current_user as role, concat_ws(' ', current_setting('statement_timeout'),
        current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'),
        current_setting('enable_seqscan')) as timeouts`
      expect(row).toEqual({ role, timeouts })
      await expect(session`select from supply.accounts`).rejects.toThrow('permission denied')
      await session.end({ timeout: 1 })
    }
  })

  test('a statement that takes too long is ended by the server', async () => {
    await sql`alter role supply_api_login in database supply set statement_timeout to 200`
    const shortened = await startPgBouncer(server.url, logins)
    const session = postgres(shortened.url('supply_api_login'), { max: 1, prepare: false })
    await expect(session`select pg_sleep(60)`).rejects.toMatchObject({ code: '57014' })
    await session.end({ timeout: 1 })
    await shortened.close()
    await sql`alter role supply_api_login in database supply set statement_timeout to 2500`
  })

  test('a call that misses its deadline costs its connection, and leaves no statement behind', async () => {
    const db = await connectImpatient()
    const slow = db.call('api.hold', { seconds: 60 })
    await expect(slow).rejects.toMatchObject({ name: 'DatabaseDeadline' })
    expect(await db.call('api.hold', { seconds: 0 })).toBeUndefined()
    const holding = () => sql`select from pg_stat_activity where state = 'active' and query like '%api.hold%'
      and pid <> pg_backend_pid()`
    await expect.poll(holding, polling).toHaveLength(0)
    await db.end()
  })

  test('a pooler that is gone means 503, and all goes on when it is back', async () => {
    const partner = await makePartner(sql, { balance: 1_000 })
    const api = await startApi()
    expect((await order(api, partner, 'before')).status).toBe(201)
    await pooler.kill()
    expect((await order(api, partner, 'meanwhile')).status).toBe(503)
    expect((await get(api, '/readyz')).status).toBe(503)
    await pooler.start()
    await expect.poll(async () => (await get(api, '/readyz')).status, polling).toBe(200)
    const again = await Promise.all([1, 2, 3].map((n) => order(api, partner, `after ${n}`)))
    expect(again.map(({ status }) => status)).toEqual([201, 201, 201])
  })

  test('no statement runs for a login that has lost a time-out, and a new process says why and ends', async () => {
    const partner = await makePartner(sql, { balance: 1_000 })
    const api = await startApi()
    await sql`alter role supply_api_login in database supply reset statement_timeout`
    await pooler.kill()
    await pooler.start()
    await expect.poll(async () => (await order(api, partner, 'unguarded')).status, polling).toBe(503)
    expect((await get(api, '/readyz')).status).toBe(503)
    const late = run('api', apiSettings())
    expect((await late.ended).code).toBe(1)
    expect(late.output().trim()).toBe(
      'cannot api: the database session is not as it should be: statement_timeout is 0, not 2500. Behind a pooler ' +
        'these settings are the login\'s own: "npm run migrate" writes them with its password, and the pooler\'s ' +
        'older connections keep the old ones until it reconnects',
    )
    await sql`alter role supply_api_login in database supply set statement_timeout to 2500`
    await pooler.kill()
    await pooler.start()
    await expect.poll(async () => (await get(api, '/readyz')).status, polling).toBe(200)
  })

  test('an unconfigured pooler that leaves out start-up parameters is detected', async () => {
    await sql.unsafe(`
      create role login_by_hand login password '${made.login_by_hand}';
      grant supply_api, supply_worker to login_by_hand with inherit false, set true`)
    const left = 'role,options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout'
    const more =
      'client_connection_check_interval,enable_seqscan,enable_hashjoin,enable_mergejoin,plan_cache_mode,jit,IntervalStyle'
    const silent = await startPgBouncer(server.url, { ...logins, ...made }, [
      `ignore_startup_parameters = ${left},${more}`,
    ])
    const api = run('api', { DATABASE_URL: silent.url('login_by_hand'), PORT: '0' })
    expect((await api.ended).code).toBe(1)
    expect(api.output()).toContain('role is none, not supply_api')
    expect(api.output()).toContain('set DATABASE_DIRECT_URL')

    await sql.unsafe(settingsInTheGuide().replaceAll('my_login', 'login_by_hand'))
    await silent.kill()
    await silent.start()
    const settings = { ...apiSettings(), DATABASE_URL: silent.url('login_by_hand') }
    await run('api', settings).says(/ready: /)

    const worker = run('worker', {
      ...workerSettings(),
      DATABASE_DIRECT_URL: silent.url('supply_worker_login').replace('127.0.0.1', 'localhost'),
    })
    expect((await worker.ended).code).toBe(1)
    expect(worker.output()).toContain('DATABASE_DIRECT_URL must lead to the server itself')
    await silent.close()
  })
})

/** What the guide has an operator write for a login of his own. */
function settingsInTheGuide(): string {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/operations/pooler.md'), 'utf8')
  return /```sql\n(.*?)```/s.exec(guide)?.[1] ?? ''
}

function run(command: string, settings: { [name: string]: string }): ServiceProcess {
  const program = startProcess(command, settings)
  programs.push(program)
  return program
}

/** Gives the logins their settings, as an operator does who has set the pooler up for the migration too. */
async function migrate(): Promise<void> {
  const program = run('migrate', {
    DATABASE_URL: pooler.url('supply_api_login'),
    DATABASE_DIRECT_URL: server.url,
    API_DB_PASSWORD: passwords.api,
    WORKER_DB_PASSWORD: passwords.worker,
  })
  expect((await program.ended).code, program.output()).toBe(0)
}

function apiSettings(): { [name: string]: string } {
  return {
    DATABASE_URL: pooler.url('supply_api_login'),
    DATABASE_DIRECT_URL: direct('supply_api_login'),
    CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
    PORT: '0',
  }
}

function workerSettings(): { [name: string]: string } {
  return {
    DATABASE_URL: pooler.url('supply_worker_login'),
    DATABASE_DIRECT_URL: direct('supply_worker_login'),
    CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
  }
}

async function startApi(): Promise<string> {
  const [, url = ''] = await run('api', apiSettings()).says(/ready: (.*)/)
  return url
}

async function order(api: string, partner: Partner, externalOrderId: string, callbackUrl?: string) {
  const items = [{ productId: products.topUp, deliveryData: { gameUserId: '123456789' } }]
  const response = await request(`${api}/b2b/orders`, {
    method: 'POST',
    headers: { 'x-api-key': partner.key, 'content-type': 'application/json' },
    body: JSON.stringify({ externalOrderId, items, callbackUrl }),
  })
  return { status: response.statusCode, json: (await response.body.json()) as ReturnType<typeof JSON.parse> }
}

async function get(api: string, path: string, partner?: Partner) {
  const headers = partner === undefined ? {} : { 'x-api-key': partner.key }
  const response = await request(`${api}${path}`, { headers })
  return { status: response.statusCode, json: (await response.body.json()) as ReturnType<typeof JSON.parse> }
}

/** A client through the pooler that is less patient than the login's time-outs. */
async function connectImpatient(): Promise<Database<Fixtures>> {
  await sql.unsafe(`
    create or replace function api.hold(seconds float8) returns void language sql as 'select pg_sleep(seconds)';
    grant execute on function api.hold to supply_api`)
  const times = { statementTimeoutMs: 2_500, deadlineMs: 2_000 }
  const options = { ...clientOptions, url: pooler.url('supply_api_login'), pooled: true, max: 1, ...times }
  return connectTo<Fixtures>(options, { 'api.hold': { args: { seconds: 'double precision' }, returns: 'void' } })
}

async function sessionsOf(login: string): Promise<number> {
  const [row] = await sql`select count(*)::int as n from pg_stat_activity where usename = ${login}`
  return row?.n
}
