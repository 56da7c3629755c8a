import { signature } from '../../src/messages/sign.ts'

const now = () => String(Math.floor(Date.now() / 1000))

/** The headers of a result that a supplier pushes, signed with its token. */
export function signedPush(body: string | Buffer, token: string, timestamp = now()): Record<string, string> {
  return { 'x-supplier-timestamp': timestamp, 'x-supplier-signature': signature(token, timestamp, body) }
}

/** The headers of an event that a supplier pushes, signed with the secret of its events. */
export function signedEvent(body: string, secret: string): Record<string, string> {
  const timestamp = now()
  return { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature(secret, timestamp, body) }
}

/** A webhook of an upstream about an order, as it is signed with `signedEvent`; `item` is what the order is for. */
export function upstreamEvent(id: string, item?: string): object {
  return { event_id: id, event_type: 'order.completed', data: { externalOrderId: item } }
}
