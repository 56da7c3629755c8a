import { expect, test } from 'vitest'
import { createPushCount } from '../../../src/http/routes/supplier_refusals.ts'

/** Pushes so often; returns how many of the pushes were too many. */
function push(isMany: (supplier: string) => boolean, supplier: string, times: number): number {
  return Array.from({ length: times }, () => isMany(supplier)).filter(Boolean).length
}

test('more than 6,000 pushes of one supplier in a minute are too many, and another supplier is not affected', () => {
  const isMany = createPushCount(() => 30_000)
  expect(push(isMany, 'flood', 6_000)).toBe(0)
  expect(push(isMany, 'flood', 3)).toBe(3)
  expect(push(isMany, 'calm', 1)).toBe(0)
})

test('the next minute begins a new count of pushes', () => {
  let now = 59_999
  const isMany = createPushCount(() => now)
  expect(push(isMany, 'flood', 6_001)).toBe(1)
  now = 60_000
  expect(push(isMany, 'flood', 6_000)).toBe(0)
})
