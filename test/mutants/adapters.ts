import type { Mutant } from './mutant.ts'

const conformance = (protocol: string) => [`test/supplier/conformance/${protocol}.test.ts`]
const asked = 'const exchange = await gateway({ path: '

/** What each adapter may conclude and do, as the conformance suite demands. */
export const adapters: Mutant[] = [
  {
    name: 'http: send again after an unknown outcome',
    breaks: 'A call sends an order once.',
    file: 'src/supplier/http.ts',
    find: '(inTime) => http.request(requestFor(url, method, call), inTime),',
    replace: `async (inTime) => {
      const first = await http.request(requestFor(url, method, call), inTime)
      return 'answer' in first || inTime.aborted ? first : http.request(requestFor(url, method, call), inTime)
    },`,
    tests: conformance('http'),
  },
  {
    name: 'http: fail after an unknown outcome',
    breaks: 'Where no answer came the order may be under way.',
    file: 'src/supplier/http.ts',
    find: ': unknown(exchange.lost, exchange)',
    replace:
      ": interpretAnswer({ method: 'PUT', reference: '', token: '' }, { status: 422, retryAfter: null, body: new Uint8Array(), tooLarge: false })",
    tests: conformance('http'),
  },
  {
    name: "http: take a foreign order's keys",
    breaks: 'An answer about another order says nothing of ours.',
    file: 'src/supplier/outcome.ts',
    find: 'if (foreignReference(read.value, call.reference)) return foreign(answer)',
    replace: 'if (false) return foreign(answer)',
    tests: conformance('http'),
  },
  {
    name: 'b2b: send again after an unknown outcome',
    breaks: 'A call sends an order once.',
    file: 'src/supplier/b2b/calls.ts',
    find: "const exchange = await upstream(\n    { method: 'POST'",
    replace: `const twice: Upstream = async (request, inTime) => {
    const first = await upstream(request, inTime)
    return 'answer' in first || inTime.aborted ? first : upstream(request, inTime)
  }
  const exchange = await twice(\n    { method: 'POST'`,
    tests: conformance('b2b'),
  },
  {
    name: 'b2b: fail after an unknown outcome',
    breaks: 'Only a refusal in the upstream’s own words is one.',
    file: 'src/supplier/b2b/refusal.ts',
    find: 'if (code === undefined || !refusing.includes(status)) return unknown(error, details)',
    replace:
      "if (code === undefined || !refusing.includes(status)) return failed(status, 'SUPPLIER_ERROR', null)",
    tests: conformance('b2b'),
  },
  {
    name: 'b2b: fail after a lost connection',
    breaks: 'Where no answer came the order may be under way.',
    file: 'src/supplier/b2b/calls.ts',
    find: "notPlaced('unreachable', exchange.lost) : unknown(exchange.lost, exchange)",
    replace:
      'notPlaced(\'unreachable\', exchange.lost) : readRefusal(call, { status: 422, retryAfter: null, body: Buffer.from(\'{"success":false,"error":"","code":"X"}\'), tooLarge: false })',
    tests: conformance('b2b'),
  },
  {
    name: "b2b: take a foreign order's keys",
    breaks: 'An answer about another order says nothing of ours.',
    file: 'src/supplier/b2b/order.ts',
    find: 'if (order.externalOrderId !== call.reference) return foreign(answer)',
    replace: '',
    tests: conformance('b2b'),
  },
  {
    name: 'b2b: take the keys of another product',
    breaks: 'An order that holds something else than we asked for is held.',
    file: 'src/supplier/b2b/order.ts',
    find: 'if (items.some((item) => item.productId !== productId)) return',
    replace: 'if (false) return',
    tests: conformance('b2b'),
  },
  {
    name: 'kinguin: send again after an unknown outcome',
    breaks: 'A call sends an order once.',
    file: 'src/supplier/kinguin/calls.ts',
    find: `${asked}'/v2/order', order }, signal)`,
    replace: `const first = await gateway({ path: '/v2/order', order }, signal)
  const again = !('answer' in first) && !signal.aborted
  const exchange = again ? await gateway({ path: '/v2/order', order }, signal) : first`,
    tests: conformance('kinguin'),
  },
  {
    name: 'kinguin: send without looking',
    breaks: 'An item that was sent is looked for before it is sent again.',
    file: 'src/supplier/kinguin/calls.ts',
    find: 'if (call.firstSentAt !== null) {',
    replace: 'if (false) {',
    tests: conformance('kinguin'),
  },
  {
    name: 'kinguin: fail after an unknown outcome',
    breaks: 'Only an error of a kind that rules an order out is a refusal.',
    file: 'src/supplier/kinguin/refusal.ts',
    find: '    default:\n      return lost(call, { answer })',
    replace: '    default:\n      return outOfStock(answer.status)',
    tests: conformance('kinguin'),
  },
  {
    name: 'kinguin: fail after a lost connection',
    breaks: 'Where no answer came the order may be under way.',
    file: 'src/supplier/kinguin/calls.ts',
    find: 'if (!exchange.notSent) return unknown(exchange.lost, exchange)',
    replace: `if (!exchange.notSent) {
      const body = Buffer.from('{"kind":"ProductUnavailable"}')
      return readRefusal(call, { status: 400, retryAfter: null, body, tooLarge: false })
    }`,
    tests: conformance('kinguin'),
  },
  {
    name: "kinguin: take a foreign order's keys",
    breaks: 'An answer about another order says nothing of ours.',
    file: 'src/supplier/kinguin/order.ts',
    find: 'return order.orderExternalId?.toLowerCase() === reference.toLowerCase()',
    replace: 'return order.orderExternalId !== reference.toUpperCase()',
    tests: conformance('kinguin'),
  },
  {
    name: 'kinguin: take the keys of another product',
    breaks: 'An order that holds something else than we asked for is held.',
    file: 'src/supplier/kinguin/order.ts',
    find: 'return matches && products',
    replace: 'return products',
    tests: conformance('kinguin'),
  },
  {
    name: 'kinguin: take keys that are of another product than the order',
    breaks: 'A list of keys is one of the order that was asked about.',
    file: 'src/supplier/kinguin/keys.ts',
    find: 'key.productId !== null && key.productId !== productId',
    replace: 'key.productId === null',
    tests: conformance('kinguin'),
  },
]
