import { isIPv4 } from 'node:net'
import type { Network } from '../network/networks.ts'
import { checkCallbackUrl, type UrlRefusal } from './callback_url.ts'
import { connect } from './connect.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import type { Failure } from './failure.ts'
import type { NameResolver, Resolution } from './resolve.ts'

/**
 * One delivery: the callback URL as stored, the headers of this attempt and the bytes of the event. `maySend` is asked
 * just before it is sent: whether its lease surely lives.
 */
export type Delivery = { url: string; headers: Record<string, string>; body: Buffer; maySend: () => boolean }

/**
 * How an attempt ended (specification 6.4 and 6.6).
 * - `answered`: the receiver's status, 200..599, and the wait it asked for in seconds, clamped to 5..21600, on
 *   429 and 408 only.
 * - `refused`: nothing was sent, because this URL is not allowed.
 * - `unsent`: this process could not make the event, so nothing was sent, and the attempt does not count.
 * - `late`: nothing was sent, because the lease may have ended, and the attempt does not count.
 * - `unresolved`: the name gave no address, so nothing was sent.
 * - `unreachable`: no answer. The receiver may or may not have received the event.
 * `error` is a short technical text for the operators, without secrets.
 */
export type SendOutcome =
  | { kind: 'answered'; status: number; retryAfter: number | null }
  | { kind: 'refused'; reason: UrlRefusal; error: string }
  | { kind: 'unsent'; error: string }
  | { kind: 'late'; error: string }
  | ({ kind: 'unresolved' } & Failure)
  | ({ kind: 'unreachable' } & Failure)

export type Sender = {
  /** Makes one attempt, which ends in time with an outcome for any behaviour of the receiver. Only bugs reject. */
  send(delivery: Delivery): Promise<SendOutcome>
  /** Takes no more deliveries and waits for those under way, which end within the timeout. */
  close(): Promise<void>
}

/** How long a delivery may take, in milliseconds. The lease of an attempt in the database is longer. */
export const webhookTimeoutMs = 10_000

type Options = {
  resolver: NameResolver
  allowNetworks: readonly Network[]
  /** For resolution, connect, TLS and response headers together, in milliseconds; by default 10 s. */
  timeoutMs?: number | undefined
  /** Certificate authorities to trust in place of the usual ones, in PEM: for tests. */
  tlsCa?: string
}

/**
 * Makes the sender of webhooks (specification 6.4, 6.7). Each attempt checks the URL again, resolves its name
 * once, checks every address, and connects to a checked one on a fresh connection, with Host and TLS name as in
 * the URL. The environment's proxy settings are ignored.
 */
export function createSender(options: Options): Sender {
  const underWay = new Set<Promise<SendOutcome>>()
  let closed = false
  return {
    async send(delivery) {
      if (closed) throw new Error('the sender is closed')
      const attempt = attemptDelivery(delivery, options)
      underWay.add(attempt)
      try {
        return await attempt
      } finally {
        underWay.delete(attempt)
      }
    },
    async close() {
      closed = true
      await Promise.allSettled(underWay)
    },
  }
}

async function attemptDelivery(delivery: Delivery, options: Options): Promise<SendOutcome> {
  const deadline = startDeadline(options.timeoutMs ?? webhookTimeoutMs)
  const check = checkCallbackUrl(delivery.url, options.allowNetworks)
  if (!check.ok) return { kind: 'refused', reason: check.kind, error: check.reason }
  const { url } = check
  const resolution = await resolveHost(url.hostname, options.resolver, deadline)
  if (resolution.kind !== 'ok') return withoutAddress(resolution, deadline)
  const tls = url.protocol === 'https:'
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port)
  const { addresses } = resolution
  const target = { addresses, port, tls, hostname: url.hostname, ca: options.tlsCa }
  const connection = await connect(target, deadline)
  if (connection.kind === 'strayed') {
    return { kind: 'refused', reason: 'blocked_address', error: connection.error }
  }
  if (connection.kind === 'failed') return { ...connection, kind: 'unreachable' }
  // guard: an event is not sent after its lease
  if (!delivery.maySend()) {
    connection.socket.destroy()
    return { kind: 'late', error: 'too late to send it: the lease may have ended' }
  }
  return exchange(connection.socket, { url, headers: delivery.headers, body: delivery.body }, deadline)
}

/** An IPv4 literal that passed the check of the URL needs no resolver. */
async function resolveHost(hostname: string, resolver: NameResolver, deadline: Deadline): Promise<Resolution> {
  if (isIPv4(hostname)) return { kind: 'ok', addresses: [{ address: hostname, family: 4 }] }
  return resolver.resolve(hostname, deadline.leftMs())
}

function withoutAddress(resolution: Exclude<Resolution, { kind: 'ok' }>, deadline: Deadline): SendOutcome {
  if (resolution.kind === 'blocked') {
    const error = `the name resolves to the blocked address ${resolution.address}`
    return { kind: 'refused', reason: 'blocked_address', error }
  }
  if (resolution.error === 'DEADLINE') return { kind: 'unresolved', ...deadline.expired('name resolution') }
  return { kind: 'unresolved', errorKind: 'name_not_resolved', error: `name does not resolve: ${resolution.error}` }
}
