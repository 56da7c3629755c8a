import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { Received } from '../../../src/demo/receiver/receiver.ts'
import { answeredWith, completedEvent, deliver, failedEvent, otherSecret, receivers } from './harness.ts'

const start = receivers()

const flags = ({ duplicate, delivery }: Received) => ({ duplicate, delivery })

describe('an event that comes again', () => {
  it('is a duplicate when it was taken, and is answered alike', async () => {
    const receiver = await start()
    const event = completedEvent()
    expect(await deliver(receiver.url, event)).toEqual(answeredWith(200))
    expect(await deliver(receiver.url, event, { age: 60 })).toEqual(answeredWith(200))
    await deliver(receiver.url, completedEvent())
    expect(receiver.received.map(flags)).toEqual([
      { duplicate: false, delivery: 1 },
      { duplicate: true, delivery: 2 },
      { duplicate: false, delivery: 1 },
    ])
  })

  it('is no duplicate while the sender was told that it was not taken', async () => {
    const answers = [500, 429, 'ok', 'ok'] as const
    const receiver = await start({ answer: (_event, delivery) => answers[delivery - 1] ?? 'ok' })
    const event = completedEvent()
    const outcomes = []
    for (const _ of answers) outcomes.push(await deliver(receiver.url, event))
    expect(outcomes).toEqual([500, 429, 200, 200].map((status) => answeredWith(status)))
    expect(receiver.received.map(({ duplicate }) => duplicate)).toEqual([false, false, false, true])
  })

  it('is a duplicate when it was taken and the answer never came', async () => {
    const receiver = await start({ answer: (_event, delivery) => (delivery === 1 ? 'hang' : 'ok') })
    const event = completedEvent()
    expect(await deliver(receiver.url, event, { timeoutMs: 1_000 })).toMatchObject({ kind: 'unreachable' })
    expect(await deliver(receiver.url, event)).toEqual(answeredWith(200))
    expect(receiver.received.map(({ duplicate }) => duplicate)).toEqual([false, true])
  })

  it('is new once among deliveries that come at the same time', async () => {
    const receiver = await start({ secret: async () => otherSecret })
    const event = completedEvent()
    const sent = Array.from({ length: 8 }, () => deliver(receiver.url, event, { signedWith: otherSecret }))
    await Promise.all(sent)
    expect(receiver.received.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
  })

  it('is not taken for a duplicate of a forgery', async () => {
    const receiver = await start()
    const event = completedEvent()
    await deliver(receiver.url, event, { signedWith: otherSecret })
    await deliver(receiver.url, event)
    expect(receiver.received.map(flags)).toEqual([
      { duplicate: false, delivery: 0 },
      { duplicate: false, delivery: 1 },
    ])
  })

  it('is not taken for a duplicate of a delivery that nobody could verify', async () => {
    let known: string | undefined
    const receiver = await start({ secret: () => known })
    const event = completedEvent()
    await deliver(receiver.url, event, { signedWith: otherSecret })
    known = otherSecret
    await deliver(receiver.url, event, { signedWith: otherSecret })
    expect(receiver.received.map(({ verified, duplicate }) => [verified, duplicate])).toEqual([
      ['unknown', false],
      [true, false],
    ])
  })
})

describe('what is no delivery', () => {
  it('is answered with 405 when it is no POST, and not noted', async () => {
    const receiver = await start()
    const response = await fetch(receiver.url)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    expect(receiver.received).toEqual([])
  })

  it('is answered with 413 over 10 MiB', async () => {
    const receiver = await start()
    const event = { ...completedEvent(), body: Buffer.alloc(10 * 1024 * 1024 + 1, ' ') }
    expect(await deliver(receiver.url, event)).toEqual(answeredWith(413))
    expect(receiver.received[0]).toMatchObject({ verified: false, problem: 'the body is over 10 MiB', status: 413 })
  })

  it('leaves no trace when its sender goes away half-way', async () => {
    const receiver = await start()
    const socket = connect(receiver.port, '127.0.0.1')
    socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf')
    await text(socket)
    expect(await deliver(receiver.url, completedEvent())).toEqual(answeredWith(200))
    expect(receiver.received).toHaveLength(1)
  })
})

describe('waiting for a delivery', () => {
  it('gives the first that fits, of those to come and of those that came', async () => {
    const seen: Received[] = []
    const receiver = await start({ onEvent: (received) => seen.push(received) })
    const failed = receiver.waitFor(({ event }) => event?.event_type === 'order.failed', 5000)
    await deliver(receiver.url, completedEvent())
    await deliver(receiver.url, failedEvent())
    expect(await failed).toBe(receiver.received[1])
    expect(await receiver.waitFor(({ status }) => status === 200, 0)).toBe(receiver.received[0])
    expect(seen).toEqual(receiver.received)
  })

  it('ends with an error when the receiver is closed', async () => {
    const receiver = await start()
    const waiting = receiver.waitFor(() => true, 60_000)
    const failure = expect(waiting).rejects.toThrow('the receiver was closed before the delivery came')
    await receiver.close()
    await failure
  })
})

describe('closing', () => {
  it('cuts deliveries that hang, and frees the port', async () => {
    const receiver = await start({ answer: 'hang' })
    const sent = deliver(receiver.url, completedEvent(), { timeoutMs: 20_000 })
    await receiver.waitFor(() => true, 45_000)
    await receiver.close()
    expect(await sent).toEqual({
      kind: 'unreachable',
      errorKind: 'connection_error',
      error: 'connection closed by the receiver',
    })
    const socket = connect(receiver.port, '127.0.0.1')
    const [error] = await once(socket, 'error')
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  })
})
