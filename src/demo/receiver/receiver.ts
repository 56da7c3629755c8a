import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { OrderEvent } from '../../client/index.ts'
import { readBytes } from '../../messages/bytes.ts'
import { listen } from '../../network/listen.ts'
import { createJournal, type Journal, type Received } from './journal.ts'
import { type Delivery, type Judgement, judge } from './judge.ts'

export type { Received } from './journal.ts'

/** The answer to a good delivery: 200, another status, or none. */
export type Answer = 'ok' | 'hang' | number

export type ReceiverOptions = {
  port?: number
  /** The signing secret, or how to look it up when a delivery comes; undefined while it is not known yet. */
  secret: string | (() => string | undefined | Promise<string | undefined>)
  /** What to answer to good deliveries, always or by the event; `delivery` counts the deliveries of that event. */
  answer?: Answer | ((event: OrderEvent, delivery: number) => Answer)
  /** Called once for each POST, when it has been answered or left unanswered. */
  onEvent?: (received: Received) => void
}

export type Receiver = Pick<Journal, 'received' | 'waitFor'> & {
  /** Where it listens; every path is taken. */
  url: string
  port: number
  /** Cuts all connections, hanging ones too, and stops listening. */
  close(): Promise<void>
}

/** Ten times what an event with a thousand keys takes: a receiver must not refuse a real event for its size. */
const maxBodyBytes = 10 * 1024 * 1024

/**
 * Starts a receiver of webhooks that does what specification 6 asks of a partner's: it verifies the signature over the
 * raw body in constant time before it parses anything, refuses timestamps more than 300 s off, tells events by
 * `event_type` in the body, deduplicates by `X-Idempotency-Key`, and answers at once. For tests, demos and as an
 * example; it keeps everything in memory.
 *
 * An event counts as taken unless the sender got another answer (a status of 300 or more): a `hang` is the case where
 * an event was taken and the answer was lost, so its retry is a duplicate.
 *
 * Other answers than those asked for: 405 to another method than POST, 413 to a body over 10 MiB, 401 to a wrong or
 * stale signature, 400 to what is signed but is no event, 503 when the look-up of the secret failed. While the secret
 * is not known, deliveries are taken unverified. Rejects when the port cannot be had.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const journal = createJournal(options.onEvent)
  const server = createServer((request, response) => void handle(options, journal, request, response))
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  const { url, port: actualPort, close } = await listen(server, '127.0.0.1', options.port ?? 0)
  return {
    url,
    port: actualPort,
    received: journal.received,
    waitFor: journal.waitFor,
    async close() {
      journal.close()
      await close()
    },
  }
}

type Verdict = Pick<Received, 'verified' | 'duplicate' | 'delivery' | 'event' | 'problem' | 'status'>

async function handle(
  options: ReceiverOptions,
  journal: Journal,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end()
    return
  }
  const body = await readBody(request)
  if (body === 'broken off') return
  const headers = plainHeaders(request)
  const at = new Date()
  const verdict = await decide(options, journal, body === 'too large' ? body : { headers, body, at })
  if (verdict.status !== null) response.writeHead(verdict.status).end()
  journal.add({ at, path: request.url ?? '/', headers, ...verdict })
}

/** The received bytes of the body, which are what the signature covers. */
async function readBody(request: IncomingMessage): Promise<Buffer | 'too large' | 'broken off'> {
  try {
    const { bytes, tooLarge } = await readBytes(request, maxBodyBytes)
    return tooLarge ? 'too large' : bytes
  } catch {
    return 'broken off'
  }
}

function plainHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headersDistinct)
  return Object.fromEntries(entries.map(([name, values = []]) => [name, values.join(', ')]))
}

async function decide(options: ReceiverOptions, journal: Journal, delivery: Delivery | 'too large'): Promise<Verdict> {
  const refuse = (status: number, problem: string, verified: Verdict['verified']) => {
    return { status, problem, verified, duplicate: false, delivery: 0, event: null }
  }
  if (delivery === 'too large') return refuse(413, 'the body is over 10 MiB', false)
  let secret: string | undefined
  try {
    secret = typeof options.secret === 'function' ? await options.secret() : options.secret
  } catch {
    return refuse(503, 'the secret could not be looked up', 'unknown')
  }
  const judgement = judge(delivery, secret)
  if (judgement.kind === 'refused') return refuse(judgement.status, judgement.problem, judgement.verified)
  return take(options, journal, judgement)
}

/** Counts the delivery and notes its event, without an await in between: deliveries can come at the same time. */
function take(
  { answer = 'ok' }: ReceiverOptions,
  journal: Journal,
  { verified, eventId, event, problem }: Extract<Judgement, { kind: 'good' }>,
): Verdict {
  // A delivery that nobody verified must not pass a later, genuine one off as a duplicate.
  const eventKey = verified === true ? eventId : `unverified ${eventId}`
  const { delivery, duplicate } = journal.count(eventKey)
  const wanted = event === null ? 'ok' : typeof answer === 'function' ? answer(event, delivery) : answer
  const status = wanted === 'hang' ? null : wanted === 'ok' ? 200 : wanted
  if (status === null || status < 300) journal.take(eventKey)
  return { verified, duplicate, delivery, event, problem, status }
}
