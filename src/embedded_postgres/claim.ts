import type pg from 'pg'
import { openClient } from '../database/connections/open_client.ts'

/** The right of one process to serve on an embedded database. */
export type Claim = {
  /** Shows the address of this process to others that want the server. Never rejects. */
  showAddress(address: string): Promise<void>
  /** Gives the right back. Never rejects. */
  release(): Promise<void>
}

// Locks belong to a database, and nothing else takes a lock in the database `postgres`.
const serviceLock = 1

/**
 * Claims the embedded server for this process by a lock, which ends with the connection even if this process is killed.
 * If another process has the lock, throws one clear line that names that process and `folder`, the folder of the data.
 */
export async function claimServer(url: string, folder: string): Promise<Claim> {
  const admin = new URL(url)
  admin.pathname = '/postgres'
  const name = `npm start, process ${process.pid}`
  // If this process loses its connection, another process can claim the server: both then serve, which is safe.
  const client = await openClient({ connectionString: admin.href, application_name: name })
  const release = () => client.end().catch(() => {})
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [serviceLock])
    if (rows[0]?.taken !== true) {
      const holder = (await holderOf(client)) ?? 'another process'
      throw new Error(`${folder} is in use by ${holder}: end that first, or set DATABASE_URL to another database`)
    }
  } catch (error) {
    await release()
    throw error
  }
  return {
    showAddress: async (address) => {
      const shown = [`${name}, ${address}`]
      await client.query(`select set_config('application_name', $1, false)`, shown).catch(() => {})
    },
    release,
  }
}

async function holderOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objid = $1 and l.database =
       (select d.oid from pg_database d where d.datname = current_database())`,
    [serviceLock],
  )
  return rows[0]?.name
}
