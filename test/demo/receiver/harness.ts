import { randomUUID } from 'node:crypto'
import { afterEach } from 'vitest'
import { type Receiver, type ReceiverOptions, startReceiver } from '../../../src/demo/receiver/receiver.ts'
import { parseNetworks } from '../../../src/network/networks.ts'
import { deliveryHeaders } from '../../../src/webhooks/headers.ts'
import { createResolver } from '../../../src/webhooks/resolve.ts'
import { createSender, type SendOutcome } from '../../../src/webhooks/send.ts'

export const secret = '0123456789abcdef'.repeat(4)
export const otherSecret = 'f'.repeat(64)

export type TestEvent = { eventId: string; eventType: string; body: Buffer }

/** An event as the service makes it; `changes` go into its envelope. */
export function completedEvent(changes: object = {}): TestEvent {
  return toEvent(
    'order.completed',
    {
      status: 'completed',
      items: [
        { productName: 'Gift key', amount: 2, price: 20, cdKeys: [{ code: 'AAAAA' }, { code: 'BBBBB' }] },
        { productName: '100 credits', amount: 1, price: 10.5 },
      ],
    },
    changes,
  )
}

export function failedEvent(changes: object = {}): TestEvent {
  return toEvent('order.failed', { status: 'failed', error: 'ORDER_FAILED', reason: 'Товар закончился.' }, changes)
}

function toEvent(eventType: string, rest: object, changes: object): TestEvent {
  const eventId = randomUUID()
  const data = {
    orderCode: `ord_${randomUUID().replaceAll('-', '')}`,
    externalOrderId: 'shop-1001',
    totalAmount: 50.5,
    ...rest,
    completedAt: '2026-03-02T09:41:07.498Z',
  }
  const occurred_at = '2026-03-02T09:41:07.512Z'
  const envelope = { event_id: eventId, event_type: eventType, occurred_at, data, ...changes }
  return { eventId, eventType, body: Buffer.from(JSON.stringify(envelope)) }
}

export type SendOptions = {
  signedWith?: string
  /** How long ago it was signed, in seconds. */
  age?: number
  /** Headers in place of those that the service would send; undefined leaves one out. */
  headers?: Record<string, string | undefined>
  timeoutMs?: number
}

const loopback = parseNetworks('127.0.0.0/8')

/** Makes one delivery with the service's own sender. */
export async function deliver(url: string, event: TestEvent, options: SendOptions = {}): Promise<SendOutcome> {
  const { signedWith = secret, age = 0, timeoutMs = 5000 } = options
  const now = new Date(Date.now() - age * 1000)
  const signed = deliveryHeaders({ ...event, secret: signedWith, now })
  const entries = Object.entries({ ...signed, ...options.headers })
  const headers = Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const resolver = createResolver({ servers: ['127.0.0.1:9'], allowNetworks: loopback })
  const sender = createSender({ resolver, allowNetworks: loopback, timeoutMs })
  const outcome = await sender.send({ url, headers, body: event.body, maySend: () => true })
  await sender.close()
  return outcome
}

export const answeredWith = (status: number): SendOutcome => ({ kind: 'answered', status, retryAfter: null })

/** Starts receivers that end with the test; they know the secret unless told otherwise. */
export function receivers(): (options?: Partial<ReceiverOptions>) => Promise<Receiver> {
  const started: Receiver[] = []
  afterEach(async () => {
    await Promise.all(started.splice(0).map((receiver) => receiver.close()))
  })
  return async (options = {}) => {
    const receiver = await startReceiver({ secret, ...options })
    started.push(receiver)
    return receiver
  }
}
