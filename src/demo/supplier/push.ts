import { randomUUID } from 'node:crypto'
import { Agent } from 'undici'
import { signature } from '../../messages/sign.ts'
import { finalAfter, resultOf, type SimulatedOrder } from './orders.ts'
import { eventOf, type UpstreamOrder } from './upstream.ts'

/** What the simulator tells its log: each call with the status it answered (`silence`: none), each push. */
export type SimulatorEvent = {
  event: 'call' | 'push'
  method: string
  path: string
  answer: number | 'silence' | 'connection error'
}

/** Where results of the protocol `http` are pushed: the service's address, and the simulator's code there. */
export type PushTarget = { url: string; supplierCode: string }

/** A message to the service, and after how many seconds of the simulation it is sent; infinity for never. */
export type Push = { after: number; url: URL; make: () => SignedBody }
type SignedBody = { body: string; headers: Record<string, string> }

/** Sends messages when they are due. `close` drops those that are still to come. */
export type Pusher = { schedule: (push: Push) => void; close: () => Promise<void> }

type PusherOptions = { timeScale: number; log: (event: SimulatorEvent) => void }

/** Makes the part of the simulator that tells the service of orders. A message is sent once: a service that misses it polls. */
export function createPusher({ timeScale, log }: PusherOptions): Pusher {
  const agent = new Agent({ allowH2: false, headersTimeout: 10_000, bodyTimeout: 10_000 })
  const timers = new Set<NodeJS.Timeout>()
  const send = async ({ url, make }: Push) => {
    const answer = await post(agent, url, make())
    log({ event: 'push', method: 'POST', path: url.pathname, answer })
  }
  const schedule = (push: Push) => {
    if (push.after === Number.POSITIVE_INFINITY) return
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        void send(push)
      },
      push.after * 1000 * timeScale,
    )
    timers.add(timer)
  }
  const close = () => {
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
    return agent.destroy()
  }
  return { schedule, close }
}

/**
 * The result of an order of the protocol `http`, for POST /suppliers/{code}/results, signed with the simulator's token;
 * never where the answer to the PUT had it.
 */
export function resultPush(target: PushTarget, token: string, order: SimulatedOrder): Push {
  const seconds = finalAfter(order)
  return {
    after: seconds === 0 ? Number.POSITIVE_INFINITY : seconds,
    url: new URL(`/suppliers/${target.supplierCode}/results`, target.url),
    make: () => {
      const body = JSON.stringify(resultOf(order, seconds))
      const timestamp = String(Math.floor(Date.now() / 1000))
      const headers = {
        'x-supplier-timestamp': timestamp,
        'x-supplier-signature': signature(token, timestamp, body),
      }
      return { body, headers }
    },
  }
}

/** The webhook of an order of the protocol `b2b`; undefined where it has none. */
export function webhookPush(secret: string, order: UpstreamOrder): Push | undefined {
  const after = finalAfter(order)
  const event = eventOf(order, after)
  if (event === undefined) return undefined
  const { type, data, callbackUrl } = event
  return {
    after,
    url: new URL(callbackUrl),
    make: () => {
      const now = new Date()
      const occurredAt = now.toISOString()
      const envelope = { event_id: randomUUID(), event_type: type, occurred_at: occurredAt }
      const body = JSON.stringify({ ...envelope, data: { ...data, completedAt: occurredAt } })
      const timestamp = String(Math.floor(now.getTime() / 1000))
      const headers = {
        'x-webhook-signature': signature(secret, timestamp, body),
        'x-webhook-timestamp': timestamp,
        'x-idempotency-key': envelope.event_id,
        'x-webhook-event': type,
        'user-agent': 'Service-B2B-Webhook/1.0',
      }
      return { body, headers }
    },
  }
}

async function post(agent: Agent, url: URL, { body, headers }: SignedBody): Promise<number | 'connection error'> {
  try {
    const { origin } = url
    const response = await agent.request({
      ...{ origin, path: `${url.pathname}${url.search}`, method: 'POST', body },
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    })
    await response.body.dump()
    return response.statusCode
  } catch {
    return 'connection error'
  }
}
