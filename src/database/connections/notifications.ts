import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { hostsOf } from './hosts.ts'
import { clientsOf, refusePooler } from './node_postgres.ts'

export type NotificationOptions = {
  /** Leads to the server itself: a pooler passes on no notifications. */
  url: string
  channel: string
  /** The role that the session takes. */
  role: string
  applicationName: string
  onNotification(payload: string): void
  /** Notifications arrive from now on. Those since the connection was lost did not. */
  onListening(): void
  /** No notification arrives until the next `onListening`. Called once for each loss, not for each attempt to connect. */
  onLost?: ((reason: string) => void) | undefined
  /** How often the connection is asked for a sign of life, in milliseconds; for tests. */
  askIntervalMs?: number
}

export type Notifications = { end(): Promise<void> }

const defaultAskIntervalMs = 5_000
const answerMs = 2_000
const connectMs = 5_000
const reconnectPauseMs = 1_000
const closeMs = 1_000

/**
 * Listens to a channel on a connection of its own, and connects again whenever that connection breaks or falls silent.
 * Notifications can get lost meanwhile, so the listener has to poll, too.
 */
export function listenTo(options: NotificationOptions): Notifications {
  const ending = new AbortController()
  const { signal } = ending

  async function keepListening(): Promise<void> {
    let isLost = false
    while (!signal.aborted) {
      const onListening = () => {
        isLost = false
        options.onListening()
      }
      const reason = await listen({ ...options, onListening }, signal).catch((error: Error) => error.message)
      if (signal.aborted) return
      if (!isLost) options.onLost?.(reason)
      isLost = true
      await sleep(reconnectPauseMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const kept = keepListening()
  return {
    async end() {
      ending.abort()
      await Promise.race([kept, sleep(closeMs, undefined, { ref: false })])
    },
  }
}

/** Listens on one connection, and resolves to the reason why that ended. */
async function listen(options: NotificationOptions, signal: AbortSignal): Promise<string> {
  const { url, askIntervalMs = defaultAskIntervalMs } = options
  await hostsOf(url).find()
  const Client = clientsOf(url)
  const client = new Client({
    application_name: options.applicationName,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    options: `-c role=${options.role}`,
  })
  const ended = new Promise<string>((resolve) => {
    client.on('error', (error) => resolve(error.message))
    client.on('end', () => resolve('the connection ended'))
    signal.addEventListener('abort', () => resolve('the client is closed'))
  })
  client.on('notification', ({ payload = '' }) => options.onNotification(payload))
  try {
    await client.connect()
    await refusePooler(client)
    await client.query(`listen ${client.escapeIdentifier(options.channel)}`)
    if (!signal.aborted) options.onListening()
    return await Promise.race([ended, silenceOf(client, askIntervalMs, signal)])
  } finally {
    // A connection on which the server is silent does not end by itself.
    await Promise.race([client.end().catch(() => {}), sleep(closeMs, undefined, { ref: false })])
    client.connection.stream.destroy()
  }
}

/** Settles when the connection does not answer any more. */
async function silenceOf(client: pg.Client, intervalMs: number, signal: AbortSignal): Promise<string> {
  for (;;) {
    await sleep(intervalMs, undefined, { signal, ref: false })
    try {
      await client.query('')
    } catch {
      return 'the connection fell silent'
    }
  }
}
