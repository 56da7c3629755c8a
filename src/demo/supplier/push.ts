import { randomUUID } from 'node:crypto'
import { Agent } from 'undici'
import { signature } from '../../messages/sign.ts'
import { finalAfter } from './orders.ts'
import { eventOf, type UpstreamOrder } from './upstream.ts'

/** A record for the simulator's log: a call with the status of its answer (`silence`: none), or a webhook. */
export type SimulatorEvent = {
  event: 'call' | 'push'
  method: string
  path: string
  answer: number | 'silence' | 'connection error'
}

/**
 * Sends the webhooks of orders of the protocol `b2b` when they end, once each. `close` drops those that are still to
 * come.
 */
export type Pusher = { schedule: (order: UpstreamOrder) => void; close: () => Promise<void> }

type PusherOptions = { timeScale: number; secret: string; log: (event: SimulatorEvent) => void }

/** Makes the part of the simulator that sends webhooks. A service that misses one polls. */
export function createPusher({ timeScale, secret, log }: PusherOptions): Pusher {
  const agent = new Agent({ allowH2: false, headersTimeout: 10_000, bodyTimeout: 10_000 })
  const timers = new Set<NodeJS.Timeout>()

  async function send({ type, data, callbackUrl }: NonNullable<ReturnType<typeof eventOf>>): Promise<void> {
    const { origin, pathname, search } = new URL(callbackUrl)
    const now = new Date()
    const occurredAt = now.toISOString()
    const envelope = { event_id: randomUUID(), event_type: type, occurred_at: occurredAt }
    const body = JSON.stringify({ ...envelope, data: { ...data, completedAt: occurredAt } })
    const timestamp = String(Math.floor(now.getTime() / 1000))
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'x-webhook-signature': signature(secret, timestamp, body),
      'x-webhook-timestamp': timestamp,
      'x-idempotency-key': envelope.event_id,
      'x-webhook-event': type,
      'user-agent': 'Service-B2B-Webhook/1.0',
    }
    let answer: SimulatorEvent['answer'] = 'connection error'
    try {
      const response = await agent.request({ origin, path: `${pathname}${search}`, method: 'POST', headers, body })
      await response.body.dump()
      answer = response.statusCode
    } catch {
      // The log says so.
    }
    log({ event: 'push', method: 'POST', path: pathname, answer })
  }

  return {
    schedule(order) {
      const seconds = finalAfter(order)
      const event = eventOf(order, seconds)
      if (event === undefined || seconds === Number.POSITIVE_INFINITY) return
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          void send(event)
        },
        seconds * 1000 * timeScale,
      )
      timers.add(timer)
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
      return agent.destroy()
    },
  }
}
