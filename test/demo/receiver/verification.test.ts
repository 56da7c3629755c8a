import { describe, expect, it } from 'vitest'
import { answeredWith, completedEvent, deliver, failedEvent, otherSecret, receivers } from './harness.ts'

const start = receivers()

describe('a delivery of the service', () => {
  it.each([completedEvent(), failedEvent()])('is verified, understood and taken: $eventType', async (event) => {
    const receiver = await start()
    expect(await deliver(`${receiver.url}/hooks?shop=1`, event)).toEqual(answeredWith(200))
    const received = await receiver.waitFor(() => true, 45_000)
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
  })

  it('of an unknown type is taken and ignored', async () => {
    const receiver = await start({ answer: 500 })
    const event = completedEvent({ event_type: 'order.shipped' })
    expect(await deliver(receiver.url, event)).toEqual(answeredWith(200))
    expect(receiver.received[0]).toMatchObject({
      verified: true,
      event: null,
      problem: 'event_type order.shipped is unknown here and was ignored',
    })
  })
})

describe('a delivery that the receiver refuses', () => {
  it('for its signature is answered with 401 and never parsed, whatever the answer to good ones', async () => {
    const receiver = await start({ answer: 'hang' })
    const event = { ...completedEvent(), body: Buffer.from('{') }
    expect(await deliver(receiver.url, event, { signedWith: otherSecret })).toEqual(answeredWith(401))
    expect(receiver.received).toMatchObject([
      { verified: false, duplicate: false, delivery: 0, event: null, problem: 'wrong signature', status: 401 },
    ])
  })

  it.each([
    ['is no JSON', { ...completedEvent(), body: Buffer.from('hello') }, 'the body is not an event'],
    ['has no order', completedEvent({ data: { status: 'completed' } }), 'the body is not an event: data.orderCode'],
    ['has no data', completedEvent({ data: null }), 'the body is not an event: data'],
  ])('because its signed body %s is answered with 400', async (_what, event, problem) => {
    const receiver = await start()
    expect(await deliver(receiver.url, event)).toEqual(answeredWith(400))
    expect(receiver.received).toMatchObject([{ verified: true, event: null, problem, status: 400 }])
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
    expect(await deliver(receiver.url, completedEvent(), { signedWith: otherSecret })).toEqual(answeredWith(200))
    known = otherSecret
    expect(await deliver(receiver.url, completedEvent(), { signedWith: otherSecret })).toEqual(answeredWith(200))
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
