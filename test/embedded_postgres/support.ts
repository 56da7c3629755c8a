import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { EmbeddedPostgres } from '../../src/embedded_postgres/start.ts'

/** The path of a folder that does not exist yet. */
export function newFolder(): string {
  return join(tmpdir(), `supply-ordering-postgres-${randomUUID()}`)
}

/** The id of the server process that the data folder names. */
export function serverPid({ dataDir }: { dataDir: string }): number {
  return Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Signals a process, unless it has ended by itself since. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has gone.
  }
}

/** Does something with a client of one connection, and closes it. */
export async function withSql<T>(server: { url: string }, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(server.url, { max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

export async function stopAndRemove(server: EmbeddedPostgres | undefined, folder: string): Promise<void> {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
