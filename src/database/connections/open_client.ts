import pg from 'pg'

/** Connects a client for a few statements. They report a lost connection. */
export async function openClient(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ connectionTimeoutMillis: 10_000, ...config })
  // Without a listener the error of a lost connection would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Connects a client for some work, and closes it afterwards. */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(config)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
