import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import { startRawServer } from '../support/servers/raw_server.ts'
import { isAlive, newFolder, serverPid, withSql } from './support.ts'

// Data takes a second to make: most tests start a server on the same.
const usedFolder = newFolder()
let dataDir: string
let server: EmbeddedPostgres | undefined

beforeEach(() => {
  dataDir = usedFolder
  server = undefined
})
afterEach(async () => {
  await server?.stop()
  if (dataDir !== usedFolder) rmSync(dataDir, { recursive: true, force: true })
})
afterAll(() => rmSync(usedFolder, { recursive: true, force: true }))

test('a new folder gets a PostgreSQL 18 with UTF-8 and the same collation everywhere', async () => {
  dataDir = newFolder()
  server = await startPostgres({ dataDir, durable: true, database: 'supply' })
  expect(server).toMatchObject({ dataDir, relocated: false, reused: false })
  const [row] = await withSql(
    server,
    (sql) => sql`
    select current_setting('server_version_num')::int / 10000 as version, current_database() as name,
      pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
      current_setting('TimeZone') as zone, upper('ж') as upper
    from pg_database where datname = current_database()`,
  )
  expect(row).toEqual({
    version: 18,
    name: 'supply',
    encoding: 'UTF8',
    provider: 'b',
    locale: 'C.UTF-8',
    zone: 'UTC',
    upper: 'Ж',
  })
})

test('commits survive a power cut only where the server is durable', async () => {
  const settings = (one: EmbeddedPostgres) =>
    withSql(
      one,
      (sql) => sql`select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') order by 1`,
    )
  server = await startPostgres({ dataDir, durable: true })
  expect(await settings(server)).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'synchronous_commit', setting: 'on' },
  ])
  await server.stop()
  server = await startPostgres({ dataDir, durable: false })
  expect(await settings(server)).toEqual([
    { name: 'fsync', setting: 'off' },
    { name: 'synchronous_commit', setting: 'off' },
  ])
})

test('the server listens on 127.0.0.1 alone and requires the password', async () => {
  server = await startPostgres({ dataDir, durable: false })
  const [row] = await withSql(
    server,
    (sql) => sql`
    select current_setting('listen_addresses') as tcp, current_setting('unix_socket_directories') as sockets,
      current_setting('max_connections')::int >= 100 as enough`,
  )
  expect(row).toEqual({ tcp: '127.0.0.1', sockets: '', enough: true })
  const url = new URL(server.url)
  url.password = 'guess'
  await expect(withSql({ url: url.href }, (sql) => sql`select 1`)).rejects.toMatchObject({ code: '28P01' })
})

test('the URL is kept in a file that only its owner reads, while the server runs', async () => {
  server = await startPostgres({ dataDir, durable: false })
  expect(readFileSync(server.urlFile, 'utf8')).toBe(`${server.url}\n`)
  expect(statSync(server.urlFile).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700)
  await server.stop()
  expect(existsSync(server.urlFile)).toBe(false)
})

test('the log holds neither the text nor the rows of a refused statement; its client gets them', async () => {
  server = await startPostgres({ dataDir, durable: false })
  const refused = withSql(server, async (sql) => {
    await sql`create table codes (code text primary key, kept boolean check (kept))`
    await sql`insert into codes values ('TOP-SECRET-CODE', true)`
    await sql`insert into codes values ('ANOTHER-SECRET', false)`.catch((error) =>
      expect(error).toMatchObject({ detail: expect.stringContaining('ANOTHER-SECRET') }),
    )
    await sql`insert into codes values ('TOP-SECRET-CODE', true)`
  })
  await expect(refused).rejects.toMatchObject({ detail: expect.stringContaining('TOP-SECRET-CODE') })
  const failing = withSql(server, (sql) => sql`select 'TOP-SECRET-TOKEN', 1 / 0`)
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8')
  expect(log).toContain('duplicate key value')
  expect(log).toContain('violates check constraint')
  expect(log).toContain('division by zero')
  expect(log).not.toMatch(/SECRET|DETAIL/)
})

test('data and password are kept from one start to the next', async () => {
  server = await startPostgres({ dataDir, durable: true, database: 'supply' })
  await withSql(server, (sql) => sql`create table kept as select 42 as answer`)
  const { password } = new URL(server.url)
  await server.stop()
  server = await startPostgres({ dataDir, durable: true, database: 'supply' })
  expect(server.reused).toBe(false)
  expect(new URL(server.url).password).toBe(password)
  expect(await withSql(server, (sql) => sql`select answer from kept`)).toEqual([{ answer: 42 }])
})

test('the port can be chosen', async () => {
  const other = await startRawServer()
  const { port } = other
  await expect(startPostgres({ dataDir, durable: false, port })).rejects.toThrow(
    /^PostgreSQL did not start: .*could not create any TCP\/IP sockets/,
  )
  await other.close()
  server = await startPostgres({ dataDir, durable: false, port })
  expect(new URL(server.url).port).toBe(String(port))
})

test('a running server is used again, and its last user stops it', async () => {
  server = await startPostgres({ dataDir, durable: true })
  const second = await startPostgres({ dataDir, durable: true })
  expect(second).toMatchObject({ url: server.url, reused: true })
  const pid = serverPid(server)
  await withSql(server, async (sql) => {
    await sql`select 1`
    await second.stop()
    expect(isAlive(pid)).toBe(true)
  })
  const third = await startPostgres({ dataDir, durable: true })
  await third.stop()
  expect(isAlive(pid)).toBe(false)
  await server.stop()
})

test('starts at the same moment end up with one server', async () => {
  dataDir = newFolder()
  const servers = await Promise.all([1, 2, 3].map(() => startPostgres({ dataDir, durable: true })))
  server = servers.find(({ reused }) => !reused)
  expect(servers.filter(({ reused }) => reused)).toHaveLength(2)
  expect(new Set(servers.map(({ url }) => url)).size).toBe(1)
  await Promise.all(servers.map((one) => withSql(one, (sql) => sql`select 1`)))
})

test('a killed server does not prevent the next start', async () => {
  server = await startPostgres({ dataDir, durable: true })
  await withSql(server, (sql) => sql`create table survivors as select 42 as answer`)
  const pid = serverPid(server)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isAlive(pid)).toBe(false)
  server = await startPostgres({ dataDir, durable: true })
  expect(server.reused).toBe(false)
  expect(await withSql(server, (sql) => sql`select answer from survivors`)).toEqual([{ answer: 42 }])
})

test('a process id that a crash left, and that another program has now, does not prevent the start', async () => {
  server = await startPostgres({ dataDir, durable: true })
  const file = join(dataDir, 'postgres/postmaster.pid')
  const left = readFileSync(file, 'utf8')
  await server.stop()
  writeFileSync(file, left.replace(/^\d+/, String(process.ppid)))
  server = await startPostgres({ dataDir, durable: true })
  expect(server.reused).toBe(false)
})

test('stop can be called twice, and after the server has gone', async () => {
  server = await startPostgres({ dataDir, durable: false })
  const pid = serverPid(server)
  await Promise.all([server.stop(), server.stop()])
  expect(isAlive(pid)).toBe(false)
  await server.stop()
})
