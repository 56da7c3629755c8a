import { expect, test } from 'vitest'
import { correlationHeaders, parseTraceparent } from '../../src/messages/correlation.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const valid = `00-${traceId}-${spanId}-01`

test.each([
  ['as it is written', valid, valid],
  ['that is not sampled', `00-${traceId}-${spanId}-00`, `00-${traceId}-${spanId}-00`],
  ['of a later version', `01-${traceId}-${spanId}-01`, valid],
  ['of a later version with more behind it', `cc-${traceId}-${spanId}-01-what-ever`, valid],
])('a trace context %s is kept', (_, header, expected) => {
  expect(parseTraceparent(header)).toBe(expected)
})

test.each([
  ['nothing', ''],
  ['the version that is none', `ff-${traceId}-${spanId}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['capitals', valid.toUpperCase()],
  ['a part that is too short', `00-${traceId.slice(1)}-${spanId}-01`],
  ['more than the first version has', `${valid}-00`],
  ['more without a dash', `01-${traceId}-${spanId}-01x`],
  ['two of them', `${valid}, ${valid}`],
  ['a line break', `${valid}\r\nx: y`],
  ['a blank before it', ` ${valid}`],
  ['what is far too long', `01-${traceId}-${spanId}-01-${'x'.repeat(100_000)}`],
])('%s is no trace context', (_, header) => {
  expect(parseTraceparent(header)).toBeNull()
})

test('only what is valid becomes a header', () => {
  expect(correlationHeaders({ requestId: 'a.b-C_1', traceparent: valid })).toEqual({
    'X-Request-Id': 'a.b-C_1',
    traceparent: valid,
  })
  expect(correlationHeaders({ requestId: 'a\r\nb: c', traceparent: `${valid}\r\n` })).toEqual({})
  expect(correlationHeaders({ requestId: null, traceparent: null })).toEqual({})
})
