import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { hostsOf } from './hosts.ts'
import { clientsOf, refusePooler } from './node_postgres.ts'

export type NotificationOptions = {
  /** Leads to the server itself: behind a pooler nothing is heard. */
  url: string
  channel: string
  /** The role that the session takes. */
  role: string
  applicationName: string
  onNotification(payload: string): void
  /** Notifications are heard from now on. What was said before, since the connection was lost, was not heard. */
  onListening(): void
  /** No notification arrives until the next `onListening`. Called once for each loss, not for each attempt to connect. */
  onLost?: ((reason: string) => void) | undefined
}

export type Notifications = { end(): Promise<void> }

/** How often the connection is asked whether it lives, and how long it may take to answer, in milliseconds. */
const askMs = 5_000
const answerMs = 2_000
const connectMs = 5_000
const firstPauseMs = 250
const longestPauseMs = 10_000
const closeMs = 1_000

/**
 * Listens to a channel on a connection of its own, and connects again whenever that is lost, also where it falls silent.
 * What nobody hears is lost: who listens has to look for himself from time to time.
 */
export function listenTo(options: NotificationOptions): Notifications {
  const ending = new AbortController()
  let client: pg.Client | undefined

  async function listen(): Promise<string> {
    const connected = await connect(options)
    client = connected.client
    try {
      if (ending.signal.aborted) return 'ended'
      options.onListening()
      return await Promise.race([connected.ended, silenceOf(connected.client, ending.signal)])
    } finally {
      await close(connected.client)
    }
  }

  async function keepListening(): Promise<void> {
    let pauseMs = firstPauseMs
    let isLost = false
    while (!ending.signal.aborted) {
      const reason = await listen().then(
        (said) => {
          pauseMs = firstPauseMs
          isLost = false
          return said
        },
        (error: unknown) => (error instanceof Error ? error.message : 'unknown'),
      )
      if (ending.signal.aborted) return
      if (!isLost) options.onLost?.(reason)
      isLost = true
      await sleep(pauseMs, undefined, { signal: ending.signal, ref: false }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  const kept = keepListening()
  return {
    async end() {
      ending.abort()
      if (client !== undefined) await close(client)
      await Promise.race([kept, sleep(closeMs, undefined, { ref: false })])
    },
  }
}

async function connect({ url, channel, role, applicationName, onNotification }: NotificationOptions) {
  await hostsOf(url).find()
  const Client = clientsOf(url)
  const client = new Client({
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    options: `-c role=${role}`,
  })
  const ended = new Promise<string>((resolve) => {
    client.on('error', (error) => resolve(error.message))
    client.on('end', () => resolve('the connection ended'))
  })
  client.on('notification', ({ payload = '' }) => onNotification(payload))
  try {
    await client.connect()
    await refusePooler(client)
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
  } catch (error) {
    await close(client)
    throw error
  }
  return { client, ended }
}

/** Settles when the connection does not answer any more. */
async function silenceOf(client: pg.Client, signal: AbortSignal): Promise<string> {
  for (;;) {
    await sleep(askMs, undefined, { signal, ref: false })
    try {
      await client.query('')
    } catch {
      return 'the connection fell silent'
    }
  }
}

/** Closes a connection, also where nobody answers any more. */
async function close(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), sleep(closeMs, undefined, { ref: false })])
  client.connection.stream.destroy()
}
