import { describe, expect, it } from 'vitest'
import type { OrderEvent } from '../../../src/client/index.ts'
import { describeReceived, describeSession } from '../../../src/demo/receiver/describe.ts'
import type { Received } from '../../../src/demo/receiver/receiver.ts'
import { failedEvent, type TestEvent } from './harness.ts'

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

describe('a delivery in the terminal', () => {
  it.each([
    ['Товар закончился.', 'Товар закончился.'],
    [null, 'no reason given'],
  ])('shows the reason %s of a failed order', (reason, shown) => {
    const data = { ...eventOf(failedEvent()).data, reason }
    const text = describeReceived(received({ event: eventOf(failedEvent({ data })) }), { colours: false })
    expect(text.split('\n')[1]?.trim()).toBe(`shop-1001 · 50.50 · ${shown}`)
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
