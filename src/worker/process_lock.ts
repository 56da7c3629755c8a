import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { hostsOf } from '../database/connections/hosts.ts'
import { clientsOf } from '../database/connections/node_postgres.ts'

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
const retakeMs = 250

/**
 * Takes the advisory lock that says "this worker process lives", on a connection of its own: not from a pool, which
 * would silently replace the connection and lose the lock. PostgreSQL drops the lock when the process dies. Where the
 * connection falls silent, a second one takes the same lock before it is given up: so the lock is shared.
 *
 * A process that has lost its lock has to end. Until it has, it takes the lock again wherever the database is then: what
 * it has in hand would be taken from it otherwise, and be done twice. A database that restarts or moves to another server
 * drops the locks of all.
 */
export async function takeProcessLock(databaseUrl: string): Promise<ProcessLock> {
  const id = randomInt(2 ** 47)
  const lost = Promise.withResolvers<string>()
  let holder = await hold(databaseUrl, id)
  let released = false

  async function keep(): Promise<void> {
    while (!released) {
      const watched = holder
      const reason = await watched.ended
      if (released || watched !== holder) continue
      lost.resolve(reason)
      await sleep(retakeMs)
      await replace(watched)
    }
  }

  async function replace(gone: Holder): Promise<void> {
    const next = await hold(databaseUrl, id).catch(() => undefined)
    // Where the database cannot be reached, the lock is held until its end of the connection is gone, too.
    if (next === undefined) return
    if (holder === gone && !released) {
      holder = next
      await gone.close()
    } else await next.close()
  }

  let asking = false
  const timer = setInterval(async () => {
    if (asking) return
    asking = true
    const asked = holder
    if (!(await asked.answers())) await replace(asked)
    asking = false
  }, askMs)

  void keep()
  return {
    id,
    lost: lost.promise,
    release: async () => {
      if (released) return
      released = true
      clearInterval(timer)
      await holder.close()
    },
  }
}

type Holder = {
  /** Settles with a reason when the connection is gone. */
  ended: Promise<string>
  answers(): Promise<boolean>
  close(): Promise<void>
}

/** Opens a connection and takes the lock on it. */
async function hold(databaseUrl: string, id: number): Promise<Holder> {
  await hostsOf(databaseUrl).find()
  const Client = clientsOf(databaseUrl)
  const client = new Client({
    application_name: 'supply-ordering worker lock',
    connectionTimeoutMillis: 10_000,
    query_timeout: askMs,
    keepAlive: true,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  })
  const ended = new Promise<string>((resolve) => {
    client.on('error', (error) => resolve(error.message))
    client.on('end', () => resolve('the connection ended'))
  })
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number }>(
      'select pg_advisory_lock_shared($1), pg_backend_pid() as pid',
      [id],
    )
    // A pooler invents the process id that it tells its clients.
    if ('processID' in client && client.processID !== rows[0]?.pid) {
      throw new Error(
        'the connection of the lock leads through a pooler: DATABASE_DIRECT_URL must lead to the server itself',
      )
    }
  } catch (error) {
    await close(client)
    throw error
  }
  const answers = () =>
    client.query('').then(
      () => true,
      () => false,
    )
  return { ended, answers, close: () => close(client) }
}

/** Closes a connection, also where nobody answers any more. */
async function close(client: pg.Client): Promise<void> {
  await Promise.race([client.end(), sleep(closeMs, undefined, { ref: false })])
  client.connection.stream.destroy()
}
