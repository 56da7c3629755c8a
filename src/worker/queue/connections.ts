import type pg from 'pg'

class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
  constructor() {
    super('the database did not answer in time')
  }
}

export type QueueConnections = {
  /**
   * From now on the client listens, and has no statement to answer: it is asked for a sign of life every now and then.
   */
  listens(client: pg.PoolClient): void
}

/**
 * Throws away each connection of the queue's pool that does not answer a statement within `answerMs`, and then those
 * that are idle, too: what lies between may have forgotten them all, without a message. graphile-worker would wait
 * without end. `query_timeout` is of no use here, for it gives the silent connection back to the pool. The statement
 * may have taken effect: `pool_health.ts` finds jobs that it took. A completion that fails ends the process.
 */
export function discardSilent(pool: pg.Pool, answerMs: number): QueueConnections {
  const timers = new Map<pg.PoolClient, NodeJS.Timeout>()
  const idle = new Set<pg.PoolClient>()

  const after = (client: pg.PoolClient, ms: number, work: () => void) => {
    clearTimeout(timers.get(client))
    // What came while this process was busy, or stood still, is read first.
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
      // The connection's error notifies the pool.
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
