import { type SupplierAnswer, type SupplierRequest, startScriptedSupplier } from './scripted_supplier.ts'

/** What it answers to a delivery: as the scripted supplier, whose machinery it is. */
export type ReceiverAnswer = SupplierAnswer

/** A delivery as it came: `eventId` is its idempotency key, `nth` counts those of the event, from 1. */
export type ReceivedDelivery = { eventId: string; nth: number; headers: SupplierRequest['headers']; body: string }

export type ScriptedReceiver = {
  url: string
  /** What came so far, of all events or of one. */
  deliveries(eventId?: string): ReceivedDelivery[]
  /** Decides all answers from now on; until then every delivery is taken with 200. The answer may take its time. */
  answer(handler: (delivery: ReceivedDelivery) => ReceiverAnswer | Promise<ReceiverAnswer>): void
  /** The first delivery, past or future, that satisfies the predicate; rejects after 45 s. */
  waitFor(predicate: (delivery: ReceivedDelivery) => boolean): Promise<ReceivedDelivery>
  close(): Promise<void>
}

export const taken: ReceiverAnswer = { status: 200 }

/** Starts a receiver on 127.0.0.1 whose every answer the test decides. It verifies nothing. */
export async function startScriptedReceiver(): Promise<ScriptedReceiver> {
  const server = await startScriptedSupplier()
  const deliveries: ReceivedDelivery[] = []
  const known = new Map<SupplierRequest, ReceivedDelivery>()

  function deliveryOf(request: SupplierRequest): ReceivedDelivery {
    const before = known.get(request)
    if (before !== undefined) return before
    const eventId = String(request.headers['x-idempotency-key'])
    const nth = deliveries.filter((delivery) => delivery.eventId === eventId).length + 1
    const delivery = { eventId, nth, headers: request.headers, body: request.rawBody }
    known.set(request, delivery)
    deliveries.push(delivery)
    return delivery
  }

  const answer: ScriptedReceiver['answer'] = (handler) => server.setAnswer((request) => handler(deliveryOf(request)))
  answer(() => taken)
  return {
    url: server.url,
    deliveries: (eventId) => deliveries.filter((delivery) => eventId === undefined || delivery.eventId === eventId),
    answer,
    waitFor: async (predicate) => deliveryOf(await server.waitForRequest((request) => predicate(deliveryOf(request)))),
    close: server.close,
  }
}
