import { expect, test } from 'vitest'
import { inOrder } from '../../src/commands/connections.ts'

const times = { lockTimeoutMs: 1, statementTimeoutMs: 2, deadlineMs: 3, idleInTransactionMs: 1 }

test('times in order are taken as they are', () => {
  expect(inOrder(times, 4)).toBe(times)
})

test.each([
  ['a lock may wait as long as its statement', { lockTimeoutMs: 2 }],
  ['a statement may take as long as its call', { statementTimeoutMs: 3 }],
  ['a call may take as long as the request', { deadlineMs: 4 }],
])('times are refused where %s', (_, change) => {
  expect(() => inOrder({ ...times, ...change }, 4)).toThrow('times out of order')
})
