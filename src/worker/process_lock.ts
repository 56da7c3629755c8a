import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export type ProcessLock = {
  /** The advisory lock's number, as the sweeper looks for it. */
  id: number
  /** Settles with a reason when the connection that holds the lock is gone, and the lock with it. */
  lost: Promise<string>
  release(): Promise<void>
}

const settings = {
  role: 'supply_worker',
  // The server, too, must notice soon that nobody is there: the lock says that the process lives.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
}

/** How often the connection is asked whether it lives, and how long it may take to answer, in milliseconds. */
const askMs = 5_000
const closeMs = 1_000

/**
 * Takes the advisory lock that says "this worker process lives", on a connection of its own: not from a pool, which
 * would silently replace the connection and lose the lock. PostgreSQL drops the lock when the process dies. Where the
 * connection falls silent, a second one takes the same lock before it is given up: so the lock is shared.
 */
export async function takeProcessLock(databaseUrl: string): Promise<ProcessLock> {
  const id = randomInt(2 ** 47)
  const lost = Promise.withResolvers<string>()
  let holder: pg.Client | undefined
  const hold = async () => {
    const client = lockClient(databaseUrl)
    const end = (reason: string) => {
      if (client === holder) lost.resolve(reason)
    }
    client.on('error', (error) => end(error.message))
    client.on('end', () => end('the connection ended'))
    await client.connect()
    try {
      await client.query('select pg_advisory_lock_shared($1)', [id])
      return client
    } catch (error) {
      await close(client)
      throw error
    }
  }
  holder = await hold()

  let asking = false
  const timer = setInterval(async () => {
    if (asking || holder === undefined) return
    asking = true
    const silent = holder
    try {
      if (await answers(silent)) return
      const next = await hold()
      if (holder === silent) holder = next
      else await close(next)
      await close(silent)
    } catch {
      // The database cannot be reached now. The lock is held until its end of the connection is gone, too.
    } finally {
      asking = false
    }
  }, askMs)
  return {
    id,
    lost: lost.promise,
    release: async () => {
      clearInterval(timer)
      const last = holder
      holder = undefined
      if (last !== undefined) await close(last)
    },
  }
}

function lockClient(databaseUrl: string): pg.Client {
  return new pg.Client({
    connectionString: databaseUrl,
    application_name: 'supply-ordering worker lock',
    connectionTimeoutMillis: 10_000,
    query_timeout: askMs,
    keepAlive: true,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  })
}

async function answers(client: pg.Client): Promise<boolean> {
  try {
    await client.query('')
    return true
  } catch {
    return false
  }
}

/** Closes a connection, also where nobody answers any more. */
async function close(client: pg.Client): Promise<void> {
  await Promise.race([client.end(), sleep(closeMs, undefined, { ref: false })])
  client.connection.stream.destroy()
}
