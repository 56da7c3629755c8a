import {
  type SupplierAnswer,
  type SupplierRequest,
  startScriptedSupplier,
} from '../support/servers/scripted_supplier.ts'
import type { Calm } from './calm.ts'
import type { ReceiverPlan } from './plans.ts'
import type { Report } from './report.ts'

/** One delivery as it came. */
type Delivery = { at: number; timestamp: string; signature: string; type: string; answer: string }

/** All that came of one event. */
export type Received = {
  eventId: string
  path: string
  /** Of the first delivery, and the same in all. */
  body: string
  deliveries: Delivery[]
  taken: number
}

export type Receivers = {
  /** The address that has an order's event treated like this. */
  urlFor(plan: ReceiverPlan, subject: string): string
  events(): Iterable<Received>
  close(): Promise<void>
}

/** Starts the receivers of all partners on one port. */
export async function startReceivers(calm: Calm, report: Report): Promise<Receivers> {
  const server = await startScriptedSupplier()
  const events = new Map<string, Received>()
  server.setAnswer(async (request) => {
    server.requests.length = 0
    const { event, delivery } = note(request)
    const plan = decodeURIComponent(request.path.split('/')[2] ?? '') as ReceiverPlan
    const answer = await answerTo(calm.hasBegun() ? 'takes' : plan, event.deliveries.length)
    delivery.answer = typeof answer === 'string' ? answer : String(answer.status)
    if (typeof answer !== 'string' && answer.status < 300) {
      event.taken += 1
      if (event.taken > 1) report.count('webhooks taken twice')
    }
    return answer
  })

  function note(request: SupplierRequest): { event: Received; delivery: Delivery } {
    const header = (name: string) => String(request.headers[name])
    const eventId = header('x-idempotency-key')
    report.count('webhooks')
    const event = events.get(eventId) ?? {
      eventId,
      path: request.path,
      body: request.rawBody,
      deliveries: [],
      taken: 0,
    }
    events.set(eventId, event)
    const delivery = {
      at: Date.now(),
      timestamp: header('x-webhook-timestamp'),
      signature: header('x-webhook-signature'),
      type: header('x-webhook-event'),
      answer: 'none',
    }
    if (event.deliveries.length > 0) report.count('webhooks repeated')
    event.deliveries.push(delivery)
    if (event.body !== request.rawBody) report.difference('an event changed its body', eventId)
    if (event.path !== request.path) report.difference('an event changed its address', eventId)
    return { event, delivery }
  }

  async function answerTo(plan: ReceiverPlan, nth: number): Promise<SupplierAnswer> {
    if (plan === 'takes slowly') await calm.pause(1_500)
    if (plan === 'takes' || plan === 'takes slowly' || nth > 2) return { status: 200 }
    if (plan === 'hangs') {
      await calm.pause(11_000)
      return 'reset'
    }
    if (plan === 'error 500') return { status: 500 }
    if (plan === 'too many') return { status: 429, headers: { 'retry-after': '5' } }
    if (plan === 'gone') return { status: 410 }
    if (plan === 'redirects') return { status: 302, headers: { location: '/elsewhere' } }
    return 'reset'
  }

  return {
    urlFor: (plan, subject) => `${server.url}/hook/${encodeURIComponent(plan)}/${subject}`,
    events: () => events.values(),
    close: server.close,
  }
}
