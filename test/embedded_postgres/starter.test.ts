import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { binaries, linked, packageRoot } from '../../src/embedded_postgres/binaries.ts'
import { placeFor } from '../../src/embedded_postgres/place.ts'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import { isAlive, newFolder, serverPid, stopAndRemove, withSql } from './support.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const program = join(import.meta.dirname, 'start_and_wait.ts')

let folder: string
let server: EmbeddedPostgres | undefined
let child: ChildProcess | undefined

beforeEach(() => {
  folder = newFolder()
  server = undefined
  child = undefined
})

afterEach(async () => {
  child?.kill('SIGKILL')
  await stopAndRemove(server, folder)
})

/** Starts the server from a process of its own; gives its first line of output, the URL. */
async function startElsewhere(durable: boolean, user: { uid?: number; gid?: number } = {}): Promise<{ url: string }> {
  child = spawn(process.execPath, [program, folder, String(durable)], {
    ...user,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('no output')
  const [url] = await once(createInterface(child.stdout), 'line')
  return { url: String(url) }
}

describe('when the process that started the server is killed', () => {
  test('a durable server goes on, and the next start takes it over', async () => {
    const { url } = await startElsewhere(true)
    const pid = serverPid({ dataDir: folder })
    child?.kill('SIGKILL')
    server = await startPostgres({ dataDir: folder, durable: true })
    expect(server).toMatchObject({ url, reused: true })
    await server.stop()
    expect(isAlive(pid)).toBe(false)
  })

  test('a server of the tests goes too', async () => {
    await startElsewhere(false)
    const pid = serverPid({ dataDir: folder })
    expect(isAlive(pid)).toBe(true)
    child?.kill('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})

test("the server is out of reach of the signals of its starter's terminal", async () => {
  server = await startPostgres({ dataDir: folder, durable: true })
  const session = (pid: number | string) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3]
  expect(session(serverPid(server))).not.toBe(session('self'))
})

test.runIf(!isRoot || canBeReadByNobody())('an ordinary user runs the server as himself', async () => {
  if (isRoot) {
    mkdirSync(folder)
    chownSync(folder, nobody, nobody)
  }
  const started = await startElsewhere(true, isRoot ? { uid: nobody, gid: nobody } : {})
  expect(await withSql(started, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  expect(statSync(join(folder, 'postgres')).uid).toBe(isRoot ? nobody : process.getuid?.())
  const pid = serverPid({ dataDir: folder })
  child?.kill('SIGTERM')
  await expect.poll(() => isAlive(pid)).toBe(false)
})

describe.runIf(isRoot)('root', () => {
  test('runs the server as another user, who owns the data', async () => {
    server = await startPostgres({ dataDir: folder, durable: true })
    expect(statSync(join(folder, 'postgres')).uid).not.toBe(0)
    expect(statSync(`/proc/${serverPid(server)}`).uid).not.toBe(0)
  })

  test('puts the data under /var/lib where that user cannot enter the checkout', async () => {
    const dataDir = join(folder, '.data')
    mkdirSync(dataDir, { recursive: true })
    chmodSync(folder, 0o700)
    server = await startPostgres({ dataDir, durable: true })
    expect(server).toMatchObject({
      relocated: true,
      dataDir: expect.stringMatching(/^\/var\/lib\/supply-ordering\/[0-9a-f]{16}$/),
    })
    expect(server.urlFile).toBe(join(dataDir, 'url'))
    await withSql(server, (sql) => sql`create table kept as select 42 as answer`)
    await server.stop()
    server = await startPostgres({ dataDir, durable: true })
    expect(await withSql(server, (sql) => sql`select answer from kept`)).toEqual([{ answer: 42 }])
    await server.stop()
    rmSync(server.dataDir, { recursive: true, force: true })
  })

  test('copies the programs where that user can enter, if the package is out of his reach', async () => {
    const root = join(folder, 'package')
    cpSync(packageRoot(), root, { recursive: true, verbatimSymlinks: true })
    chmodSync(folder, 0o700)
    const place = await placeFor(newFolder())
    const { postgres } = await binaries(place, root)
    expect(postgres).toMatch(/^\/var\/lib\/supply-ordering\//)
    const version = spawn(postgres, ['--version'], { ...place.runAs, cwd: '/', stdio: 'ignore' })
    expect(await once(version, 'exit')).toEqual([0, null])
    expect((await binaries(place, root)).postgres).toBe(postgres)
    rmSync(dirname(dirname(dirname(dirname(postgres)))), { recursive: true, force: true })
    rmSync(place.dataDir, { recursive: true, force: true })
  })
})

test('library links that the installation did not make are made', () => {
  const root = join(folder, 'package')
  cpSync(packageRoot(), root, { recursive: true, verbatimSymlinks: true })
  const native = join(root, 'native')
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  expect(links.length).toBeGreaterThan(0)
  for (const { target } of links) rmSync(join(root, target), { force: true })
  expect(linked(native)).toBe(true)
  for (const { target } of links) {
    expect(lstatSync(join(root, target)).isSymbolicLink()).toBe(true)
    expect(existsSync(join(root, target))).toBe(true)
  }
})

test('a platform without a package gets a line with the remedy', () => {
  expect(() => packageRoot('plan9-vax')).toThrow(
    'no embedded PostgreSQL for this platform (package @embedded-postgres/plan9-vax is not installed): set DATABASE_URL',
  )
})

function canBeReadByNobody(): boolean {
  const worldReadable = (path: string): boolean =>
    (statSync(path).mode & 0o005) === 0o005 && (path === '/' || worldReadable(dirname(path)))
  return worldReadable(import.meta.dirname) && worldReadable(dirname(process.execPath))
}
