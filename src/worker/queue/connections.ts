import type pg from 'pg'

class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
  constructor() {
    super('the database did not answer in time')
  }
}

export type QueueConnections = {
  /** Reports that the client only listens from now on. It answers no statements, so it is checked at intervals. */
  listens(client: pg.PoolClient): void
}

/**
 * Closes each connection of the queue's pool that does not answer a statement within `answerMs`, and then all idle
 * ones: a middlebox may have dropped them all silently. graphile-worker would wait for the answer permanently, and
 * `query_timeout` would return the silent connection to the pool.
 */
export function discardSilent(pool: pg.Pool, answerMs: number): QueueConnections {
  const timers = new Map<pg.PoolClient, NodeJS.Timeout>()
  const idle = new Set<pg.PoolClient>()

  const after = (client: pg.PoolClient, ms: number, work: () => void) => {
    clearTimeout(timers.get(client))
    // A process that was busy or paused first reads the answers that arrived meanwhile.
    const timer = setTimeout(() => setImmediate(() => timers.get(client) === timer && work()), ms)
    timers.set(client, timer)
  }
  const expectAnswer = (client: pg.PoolClient) =>
    after(client, answerMs, () => {
      for (const silent of [client, ...idle]) silent.connection.stream.destroy(new DatabaseSilent())
    })
  const ask = async (client: pg.PoolClient) => {
    expectAnswer(client)
    try {
      await client.query('')
      if (timers.has(client)) after(client, answerMs, () => ask(client))
    } catch {
      // The pool receives the connection's error.
    }
  }

  pool.on('acquire', (client) => {
    idle.delete(client)
    expectAnswer(client)
  })
  pool.on('release', (_, client) => {
    clearTimeout(timers.get(client))
    timers.delete(client)
    idle.add(client)
  })
  pool.on('remove', (client) => idle.delete(client))
  return { listens: (client) => after(client, answerMs, () => ask(client)) }
}
