import { describe, expect, it } from 'vitest'
import { signature } from '../../../src/messages/sign.ts'
import {
  answeredWith,
  completedEvent,
  deliver,
  failedEvent,
  otherSecret,
  receivers,
  secret,
} from './harness.ts'

const start = receivers()

describe('a delivery of the service', () => {
  it.each([completedEvent(), failedEvent()])(
    'is verified, understood and taken: $eventType',
    async (event) => {
      const receiver = await start()
      expect(await deliver(`${receiver.url}/hooks?shop=1`, event)).toEqual(answeredWith(200))
      const received = await receiver.waitFor(() => true, 1000)
      expect(received).toMatchObject({
        path: '/hooks?shop=1',
        verified: true,
        duplicate: false,
        delivery: 1,
        problem: null,
        status: 200,
      })
      expect(received.event).toEqual(JSON.parse(event.body.toString()))
      expect(received.headers).toMatchObject({
        'x-idempotency-key': event.eventId,
        'x-webhook-event': event.eventType,
        'user-agent': 'Service-B2B-Webhook/1.0',
      })
      expect(Math.abs(received.at.getTime() - Date.now())).toBeLessThan(5000)
    },
  )

  it.each([0, 290, -290])('is taken when it was signed %i seconds ago', async (age) => {
    const receiver = await start()
    expect(await deliver(receiver.url, completedEvent(), { age })).toEqual(answeredWith(200))
  })

  it('is recognized by event_type in the body, whatever the header says', async () => {
    const receiver = await start()
    const headers = { 'X-Webhook-Event': 'order.completed' }
    expect(await deliver(receiver.url, failedEvent(), { headers })).toEqual(answeredWith(200))
    expect(receiver.received[0]?.event?.event_type).toBe('order.failed')
  })

  it('keeps fields that the service may add', async () => {
    const receiver = await start()
    await deliver(receiver.url, completedEvent({ sequence: 7 }))
    expect(receiver.received[0]?.event).toMatchObject({ sequence: 7 })
  })

  it('of an unknown type is taken and ignored', async () => {
    const receiver = await start({ answer: '500' })
    const event = completedEvent({ event_type: 'order.shipped' })
    expect(await deliver(receiver.url, event)).toEqual(answeredWith(200))
    expect(receiver.received[0]).toMatchObject({
      verified: true,
      event: null,
      problem: 'event_type order.shipped is unknown here and was ignored',
    })
  })
})

describe('a delivery that cannot be trusted is answered with 401 and never parsed:', () => {
  it.each([
    ['signed with another secret', { signedWith: otherSecret }, 'wrong signature'],
    ['signed too long ago', { age: 310 }, /^stale: signed 31\d s ago$/],
    ['signed too far ahead', { age: -310 }, /^stale: signed 3\d\d s ahead$/],
    ['without a signature', { headers: { 'X-Webhook-Signature': undefined } }, 'no X-Webhook-Signature'],
    ['without a timestamp', { headers: { 'X-Webhook-Timestamp': undefined } }, 'no X-Webhook-Timestamp'],
    ['with another timestamp', { headers: { 'X-Webhook-Timestamp': '1700000000' } }, 'wrong signature'],
    [
      'with a timestamp that is no number',
      { headers: { 'X-Webhook-Timestamp': 'now' } },
      'X-Webhook-Timestamp is not a Unix time',
    ],
  ])('%s', async (_what, options, problem) => {
    const receiver = await start()
    expect(await deliver(receiver.url, completedEvent(), options)).toEqual(answeredWith(401))
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]).toMatchObject({
      verified: false,
      duplicate: false,
      delivery: 0,
      event: null,
      problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
      status: 401,
    })
  })

  it('with another body than was signed', async () => {
    const receiver = await start()
    const event = completedEvent()
    const timestamp = String(Math.floor(Date.now() / 1000))
    const headers = {
      'X-Webhook-Timestamp': timestamp,
      'X-Webhook-Signature': signature(secret, timestamp, Buffer.concat([event.body, Buffer.from('\n')])),
    }
    expect(await deliver(receiver.url, event, { headers })).toEqual(answeredWith(401))
    expect(receiver.received[0]).toMatchObject({ verified: false, problem: 'wrong signature' })
  })

  it('whatever its body says', async () => {
    const receiver = await start()
    const event = { ...completedEvent(), body: Buffer.from('{') }
    expect(await deliver(receiver.url, event, { signedWith: otherSecret })).toEqual(answeredWith(401))
    expect(receiver.received[0]).toMatchObject({ verified: false, problem: 'wrong signature' })
  })

  it('whatever the receiver was told to answer to good ones', async () => {
    const receiver = await start({ answer: 'hang' })
    const outcome = await deliver(receiver.url, completedEvent(), { signedWith: otherSecret })
    expect(outcome).toEqual(answeredWith(401))
  })
})

describe('a delivery that is signed but is no event is answered with 400:', () => {
  it.each([
    ['no JSON', 'hello', 'the body is no JSON'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'the body is no JSON'],
    ['no body', '', 'the body is no JSON'],
    ['no object', 'null', 'the body is no event: it is no object'],
    ['no event_id', '{"event_type":"order.completed","occurred_at":""}', 'the body is no event: event_id'],
  ])('%s', async (_what, body, problem) => {
    const receiver = await start()
    const event = { ...completedEvent(), body: Buffer.from(body) }
    expect(await deliver(receiver.url, event)).toEqual(answeredWith(400))
    expect(receiver.received[0]).toMatchObject({ verified: true, event: null, problem, status: 400 })
  })

  it('a known event without its order', async () => {
    const receiver = await start()
    expect(await deliver(receiver.url, completedEvent({ data: { status: 'completed' } }))).toEqual(
      answeredWith(400),
    )
    expect(receiver.received[0]?.problem).toBe('the body is no event: data.orderCode')
  })

  it('no X-Idempotency-Key', async () => {
    const receiver = await start()
    const headers = { 'X-Idempotency-Key': undefined }
    expect(await deliver(receiver.url, completedEvent(), { headers })).toEqual(answeredWith(400))
    expect(receiver.received[0]?.problem).toBe('no X-Idempotency-Key')
  })

  it('an X-Idempotency-Key that is not the event_id, which a replay could carry', async () => {
    const receiver = await start()
    const headers = { 'X-Idempotency-Key': 'b7f0c1de-0000-4000-8000-000000000001' }
    expect(await deliver(receiver.url, completedEvent(), { headers })).toEqual(answeredWith(400))
    expect(receiver.received[0]?.problem).toBe('X-Idempotency-Key is not the event_id')
  })
})

describe('the secret', () => {
  it('is looked up when a delivery comes, and until it is known deliveries are taken unverified', async () => {
    let known: string | undefined
    let lookUps = 0
    const receiver = await start({
      secret: async () => {
        lookUps += 1
        return known
      },
    })
    expect(lookUps).toBe(0)
    expect(await deliver(receiver.url, completedEvent(), { signedWith: otherSecret })).toEqual(
      answeredWith(200),
    )
    known = otherSecret
    expect(await deliver(receiver.url, completedEvent(), { signedWith: otherSecret })).toEqual(
      answeredWith(200),
    )
    expect(await deliver(receiver.url, completedEvent())).toEqual(answeredWith(401))
    expect(receiver.received.map(({ verified }) => verified)).toEqual(['unknown', true, false])
    expect(receiver.received[0]?.event?.event_type).toBe('order.completed')
  })

  it('that cannot be looked up costs no event: the delivery is answered with 503', async () => {
    const receiver = await start({ secret: () => Promise.reject(new Error('the database is down')) })
    expect(await deliver(receiver.url, completedEvent())).toEqual(answeredWith(503))
    expect(receiver.received[0]).toMatchObject({ verified: 'unknown', event: null, status: 503 })
  })
})
