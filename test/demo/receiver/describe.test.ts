import { describe, expect, it } from 'vitest'
import type { OrderEvent } from '../../../src/client/index.ts'
import { describeReceived, describeSession } from '../../../src/demo/receiver/describe.ts'
import type { Received } from '../../../src/demo/receiver/receiver.ts'
import { completedEvent, failedEvent, type TestEvent } from './harness.ts'

function received(changes: Partial<Received> = {}): Received {
  return {
    at: new Date(2026, 2, 2, 9, 41, 7),
    path: '/',
    headers: {},
    verified: true,
    duplicate: false,
    delivery: 1,
    event: null,
    problem: null,
    status: 200,
    ...changes,
  }
}

const eventOf = ({ body }: TestEvent): OrderEvent => JSON.parse(body.toString())

/** The fields of the first line, and the lines below it. */
function told(one: Received): [string[], ...string[]] {
  const [first = '', ...below] = describeReceived(one, { colours: false }).split('\n')
  return [first.split(/ {2,}/), ...below.map((line) => line.trim())]
}

describe('a delivery in the terminal', () => {
  it('shows time, type, order, trust, novelty and status, and below what was delivered, without the keys', () => {
    const event = eventOf(completedEvent())
    expect(told(received({ event }))).toEqual([
      ['09:41:07', 'order.completed', event.data.orderCode, 'verified', 'new', '200'],
      'shop-1001 · 50.50 · 2 × Gift key (2 keys), 1 × 100 credits',
    ])
  })

  it('shows the reason of a failed order', () => {
    const event = eventOf(failedEvent())
    expect(told(received({ event }))[1]).toBe('shop-1001 · 50.50 · Товар закончился.')
  })

  it('says so when no reason is known', () => {
    const data = { ...eventOf(failedEvent()).data, reason: null }
    expect(told(received({ event: eventOf(failedEvent({ data })) }))[1]).toBe('shop-1001 · 50.50 · no reason given')
  })

  it.each<[Partial<Received>, string[]]>([
    [{ duplicate: true, delivery: 2 }, ['verified', 'duplicate', '200']],
    [{ delivery: 3, status: 500 }, ['verified', 'delivery 3', '500']],
    [{ status: null }, ['verified', 'new', 'no answer']],
    [{ verified: 'unknown' }, ['unverified', 'new', '200']],
    [{ verified: false, delivery: 0, status: 401 }, ['REJECTED', '-', '401']],
  ])('shows %o', (changes, fields) => {
    expect(told(received(changes))[0].slice(3)).toEqual(fields)
  })

  it('cannot be made to steer the terminal', () => {
    const data = { ...eventOf(failedEvent()).data, orderCode: '\u001b[2Jx', reason: 'a\nb\u202e' }
    const text = describeReceived(received({ event: eventOf(failedEvent({ data })), problem: '\u0007' }), {
      colours: false,
    })
    expect(text.split('\n')).toHaveLength(3)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(text).toContain('?[2Jx')
  })
})

describe('the end of a session', () => {
  it('is summed up in one line', () => {
    expect(describeSession([])).toBe('0 deliveries')
    expect(describeSession([received()])).toBe('1 delivery: 1 verified')
    const all = [
      received(),
      received({ duplicate: true }),
      received({ verified: 'unknown' }),
      received({ verified: false }),
    ]
    expect(describeSession(all)).toBe('4 deliveries: 2 verified, 1 unverified, 1 rejected, 1 duplicate')
  })
})
