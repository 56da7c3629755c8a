import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRecent } from '../../src/http/recent.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('a value is remembered until its time is over, with the time that is left', () => {
  const recent = createRecent<string>()
  recent.set('a', 'value', 30_000)
  vi.advanceTimersByTime(29_000)
  expect(recent.get('a')).toEqual({ value: 'value', leftMs: 1_000 })
  vi.advanceTimersByTime(1_000)
  expect(recent.get('a')).toBeUndefined()
  expect(recent.get('b')).toBeUndefined()
})

test('beyond 10,000 values, those that were set first are forgotten', () => {
  const recent = createRecent<number>()
  for (let key = 0; key < 10_000; key += 1) recent.set(String(key), key, 30_000)
  recent.set('0', 0, 30_000)
  recent.set('new', 1, 30_000)
  expect(recent.get('0')).toBeDefined()
  expect(recent.get('1')).toBeUndefined()
  expect(recent.get('2')).toBeDefined()
})
