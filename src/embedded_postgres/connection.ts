import { realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { withClient } from '../database/connections/open_client.ts'

/** The URL of a database of the embedded server. */
export function connectionUrl(password: string, port: number, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
}

const clientOf = (url: string) => ({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 30_000 })

/** Whether the server at the URL accepts our password and runs on this data directory. */
export async function isOurServer(url: string, cluster: string): Promise<boolean> {
  try {
    return await withClient(clientOf(url), async (client) => {
      const { rows } = await client.query<{ dir: string }>(`select current_setting('data_directory') as dir`)
      return rows[0]?.dir === realpathSync(cluster)
    })
  } catch {
    return false
  }
}

/** Makes the database, unless it exists. */
export async function ensureDatabase(url: string, name: string): Promise<void> {
  await withClient(clientOf(url), async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount !== 0) return
    try {
      await client.query(`create database ${client.escapeIdentifier(name)}`)
    } catch (error) {
      // Another process made it at the same moment: 42P04 duplicate_database, or 23505.
      if (!(error instanceof pg.DatabaseError && ['42P04', '23505'].includes(error.code ?? ''))) throw error
    }
  })
}

const goodbyeMs = 1_000

/**
 * Whether no other client is connected; false if the server does not answer. Clients that are disconnecting get a
 * second to disappear.
 */
export async function nobodyElseConnected(url: string): Promise<boolean> {
  try {
    return await withClient(clientOf(url), async (client) => {
      const end = Date.now() + goodbyeMs
      for (;;) {
        const { rowCount } = await client.query(
          `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
        )
        if (rowCount === 0) return true
        if (Date.now() > end) return false
        await sleep(20)
      }
    })
  } catch {
    return false
  }
}
