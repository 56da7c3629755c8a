import { randomInt } from 'node:crypto'
import pg from 'pg'

export type ProcessLock = {
  /** The advisory lock's number, as the sweeper looks for it. */
  id: number
  /** Settles with a reason when the connection that holds the lock is gone, and the lock with it. */
  lost: Promise<string>
  release(): Promise<void>
}

/**
 * Takes the advisory lock that says "this worker process lives", on a connection of its own: not from a pool, which
 * would silently replace the connection and lose the lock. PostgreSQL drops the lock when the process dies.
 */
export async function takeProcessLock(databaseUrl: string): Promise<ProcessLock> {
  const id = randomInt(2 ** 47)
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'supply-ordering worker lock',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    options: '-c role=supply_worker',
  })
  let released = false
  const lost = new Promise<string>((resolve) => {
    client.on('error', (error) => resolve(error.message))
    client.on('end', () => resolve('the connection ended'))
  })
  await client.connect()
  await client.query('select pg_advisory_lock($1)', [id])
  return {
    id,
    lost,
    release: async () => {
      if (released) return
      released = true
      await client.end()
    },
  }
}
