import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import postgres from 'postgres'
import { migrate } from '../../db/migrate.ts'
import { startPostgres } from '../../src/postgres/index.ts'

/** What a benchmark needs: databases of its own, and the service's programs as processes. */
export type Stage = {
  /** A fresh, migrated database on a server that keeps every commit. */
  database(): Promise<StageDatabase>
  /**
   * Runs a program until the benchmark ends: the service's `api` or `worker`, or another file with its arguments. Waits
   * until it has printed a line that contains `ready`, and gives that line.
   */
  program(what: Program): Promise<string>
  /** Ends all programs and connections of the benchmark. */
  clear(): Promise<void>
}

export type StageDatabase = { url: string; sql: postgres.Sql }

export type Program = { file?: string; args: string[]; env?: Record<string, string>; ready: string }

const main = join(import.meta.dirname, '../../src/main.ts')

/**
 * Sets the stage on the server of `BENCH_DATABASE_URL` (a superuser's), or on an embedded PostgreSQL with durable
 * settings and data that are thrown away. Gives it with what takes it down.
 */
export async function setStage(): Promise<{ stage: Stage; close(): Promise<void> }> {
  const given = process.env.BENCH_DATABASE_URL
  const server = given ? { url: given, stop: async () => {} } : await embedded()
  const programs: ChildProcess[] = []
  const clients: postgres.Sql[] = []

  async function clear(): Promise<void> {
    for (const client of clients.splice(0)) await client.end({ timeout: 2 })
    for (const child of programs.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    }
  }

  const stage: Stage = {
    database: async () => {
      const name = `supply_bench_${randomUUID().slice(0, 8)}`
      const url = new URL(server.url)
      url.pathname = `/${name}`
      const maintenance = postgres(server.url, { max: 1, onnotice: () => {} })
      await maintenance`create database ${maintenance(name)}`
      await maintenance.end()
      await migrate({ databaseUrl: url.href })
      const sql = postgres(url.href, { max: 10, onnotice: () => {} })
      clients.push(sql)
      return { url: url.href, sql }
    },
    program: async ({ file = main, args, env = {}, ready }) => {
      const child = spawn(process.execPath, [file, ...args], {
        env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      programs.push(child)
      return readyLine(child, ready)
    },
    clear,
  }
  const close = async () => {
    await clear()
    await server.stop()
  }
  return { stage, close }
}

async function embedded() {
  const dataDir = join(tmpdir(), `supply-ordering-bench-${randomUUID()}`)
  const server = await startPostgres({ dataDir, durable: true })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      rmSync(server.dataDir, { recursive: true, force: true })
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function readyLine(child: ChildProcess, ready: string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error('the program has no output'))
    child.once('exit', (code) => reject(new Error(`a program ended before it was ready, with ${code}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes(ready)) resolve(line)
      else if (/"level":"(error|fatal)"/.test(line)) console.error(line)
    })
  })
}
