import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgreSqlContainer } from '@testcontainers/postgresql'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../src/embedded_postgres/start.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { newFolder, stopAndRemove, withSql } from '../embedded_postgres/support.ts'
import { makeCatalog } from './partner.ts'
import { copyCluster, database, makeMigratedCluster } from './servers/migrated_cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's URL to the maintenance database of the test server. */
    serverUrl: string
    /** The name of the migrated database that the tests' databases are copied from. */
    templateDatabase: string
    /** A copy of it with the small catalog of `makeCatalog`. */
    catalogDatabase: string
    /** The data folder of a stopped server with the migrated database `supply`; empty where the tests use another server. */
    migratedCluster: string
  }
}

type Server = { url: string; stop: () => Promise<void>; migratedCluster?: string }

// Each test file makes and removes a database of some hundred files: on a disk, a sixth of the time of all tests.
const memory = '/dev/shm'
const neededBytes = 4 * 1024 ** 3

/**
 * Finds a PostgreSQL for the tests and migrates the template database once. The server is, in this order:
 * `TEST_DATABASE_URL` (a superuser's URL), a Docker container of `TEST_POSTGRES_IMAGE` (default postgres:18-alpine), the
 * embedded one without fsync. `REQUIRE_CONTAINER=1` forbids the last. Temporary files lie in memory where that is large.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The processes that tests start load the same code again and again.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'supply-ordering-compile-cache')
  if (isFitForTests(memory)) process.env.TMPDIR ??= memory
  const server = await findServer()
  const { migratedCluster = '' } = server
  const template = migratedCluster ? database : `supply_template_${process.pid}_${Date.now()}`
  const catalog = `${template}_catalog`
  try {
    if (!migratedCluster) {
      await withSql(server, (sql) => sql`create database ${sql(template)}`)
      await migrate({ databaseUrl: databaseUrl(server.url, template) })
    }
    await withSql(server, (sql) => sql`create database ${sql(catalog)} template ${sql(template)}`)
    const made = { url: databaseUrl(server.url, catalog) }
    await withSql(made, (sql) => makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'token' }))
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('serverUrl', server.url)
  project.provide('templateDatabase', template)
  project.provide('catalogDatabase', catalog)
  project.provide('migratedCluster', migratedCluster)
  return async () => {
    for (const name of [template, catalog]) {
      await withSql(server, (sql) => sql`drop database if exists ${sql(name)} with (force)`)
    }
    await server.stop()
  }
}

/** Whether a file system in memory has room for the databases of the tests and lets programs run. */
function isFitForTests(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const forbidsPrograms = mounts.some((mount) => mount.split(' ')[1] === folder && mount.includes('noexec'))
    return bavail * bsize >= neededBytes && !forbidsPrograms
  } catch {
    return false
  }
}

async function findServer(): Promise<Server> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  const required = process.env.REQUIRE_CONTAINER === '1'
  if (!dockerAnswers()) {
    if (required) throw new Error('REQUIRE_CONTAINER=1, but no Docker daemon answers')
    return startEmbedded()
  }
  if (required) return startContainer()
  // A daemon that has no image and cannot get one is no reason for a newcomer's tests to fail.
  return startContainer().catch((error: Error) => {
    console.warn(`no container could be started (${error.message}): the tests use the embedded PostgreSQL`)
    return startEmbedded()
  })
}

function dockerAnswers(): boolean {
  const { status } = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], {
    timeout: 3_000,
    stdio: 'ignore',
  })
  return status === 0
}

async function startContainer(): Promise<Server> {
  const image = process.env.TEST_POSTGRES_IMAGE || 'postgres:18-alpine'
  const fast = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200']
  const container = await new PostgreSqlContainer(image)
    // Where the locale of the image knows only ASCII, references in other letters would be compared with their case.
    .withEnvironment({ POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C.UTF-8' })
    .withCommand(['postgres', ...fast.flatMap((setting) => ['-c', setting])])
    .start()
  return {
    url: container.getConnectionUri(),
    stop: async () => {
      await container.stop()
    },
  }
}

async function startEmbedded(): Promise<Server> {
  // Both projects copy it.
  const migratedCluster = join(tmpdir(), `supply-ordering-migrated-${process.pid}`)
  if (!existsSync(migratedCluster)) await makeMigratedCluster(migratedCluster)
  const dataDir = newFolder()
  await copyCluster(migratedCluster, dataDir)
  const server = await startPostgres({ dataDir, durable: false })
  const stop = async () => {
    await stopAndRemove(server, dataDir)
    rmSync(migratedCluster, { recursive: true, force: true })
  }
  return { url: server.url, stop, migratedCluster }
}

function databaseUrl(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}
