import { Socket } from 'node:net'
import pg from 'pg'
import { hostsOf } from './hosts.ts'
import { withClient } from './open_client.ts'

/** Throws if the URL leads to a pooler, which passes on no notifications, and not to the server itself. */
export async function refusePooler(databaseUrl: string): Promise<void> {
  const { url } = await hostsOf(databaseUrl).find()
  await withClient({ connectionString: url, query_timeout: 10_000 }, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // A pooler gives its clients a process id of its own.
    if (!('processID' in client) || client.processID === rows[0]?.pid) return
    throw new Error('notifications do not pass through a pooler: DATABASE_DIRECT_URL must lead to the server itself')
  })
}

/**
 * The clients for a `pg.Pool` on a database URL that may name several servers, which node-postgres does not support.
 * Each client connects to the server that is then the right one, and disconnects when another server becomes it.
 */
export function clientsOf(databaseUrl: string): new (config?: pg.ClientConfig) => pg.Client {
  const hosts = hostsOf(databaseUrl)
  return class extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      const socket = new Socket()
      const server = hosts.current
      super({ ...config, connectionString: server.url, stream: () => socket })
      socket.once('error', () => hosts.suspect(server))
      // A query to a server that disappeared silently would never end.
      const forget = hosts.onMove(() => socket.destroy(new Error('another server has taken over')))
      socket.once('close', forget)
    }
  }
}
