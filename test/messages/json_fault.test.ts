import { expect, test } from 'vitest'
import { jsonFault } from '../../src/messages/json_fault.ts'

test.each([
  ['', 'is empty'],
  [' \n', 'is empty'],
  ['{"a":1', 'is no JSON: it ends too early'],
  ['{"a":"b', 'is no JSON: it ends too early'],
  ['{"a":tru', 'is no JSON: it ends too early'],
  ['{"a":x}', 'is no JSON: line 1, column 6'],
  ['{"a":1,}', 'is no JSON: line 1, column 8'],
  ['{\n  "a": 1\n  "b": 2\n}', 'is no JSON: line 3, column 3'],
  ["{a: 'b'}", 'is no JSON: line 1, column 2'],
  ['{} {}', 'is no JSON: line 1, column 4'],
  ['[01]', 'is no JSON: line 1, column 3'],
  [`{"a":"${'x'.repeat(70_000)}" "b"}`, 'is no JSON: line 1, column 70009'],
  ['{"a":"\u0001"}', 'is no JSON: line 1, column 7'],
  ['{"__proto__":1}', 'must not have a key named __proto__ or constructor'],
])('of %j', (text, fault) => {
  expect(jsonFault(text)).toBe(fault)
})
