import type { Mutant } from './mutant.ts'

const calls = 'test/sql/suppliers/supplier_calls.test.ts'
const results = 'test/sql/suppliers/supplier_results.test.ts'
const journey = 'test/journey.test.ts'
const outcomes = 'test/supplier/outcome.test.ts'
const plan = 'db/functions/core/suppliers/plan_calls.sql'
const begin = 'db/functions/work/begin_calls.sql'
const outcome = 'src/supplier/outcome.ts'

/** Calls to suppliers, what their answers mean, and the results that they push. */
export const suppliers: Mutant[] = [
  {
    name: 'send a second PUT after an unknown outcome',
    breaks: 'After an unknown outcome an item is asked for, never sent again.',
    file: plan,
    find: "a ->> 'outcome' = 'not_received' and",
    replace: "a ->> 'outcome' in ('not_received', 'unknown') and",
    tests: [calls],
  },
  {
    name: 'send a second PUT after a lease',
    breaks: 'After a claim an item is asked for, also where its worker died.',
    file: begin,
    find: "next_call = 'get', sent_at",
    replace: 'next_call = before.method, sent_at',
    tests: [calls],
  },
  {
    name: 'send each call as a PUT',
    breaks: 'The claim says whether an item is sent or asked for.',
    file: 'src/worker/supplier_calls.ts',
    find: "leased.method === 'put' ? adapter.put(call, signal) : adapter.get(call, signal)",
    replace: 'adapter.put(call, signal)',
    tests: [journey],
  },
  {
    name: 'call beside a call under way',
    breaks: 'While a claim lives nobody else calls for the item.',
    file: begin,
    find: 'select coalesce(i.claim_expires_at, i.next_check_at) as at',
    replace: 'select i.next_check_at as at',
    tests: [calls],
  },
  {
    name: 'refund after an unknown outcome',
    breaks: 'An unknown outcome is no failure.',
    file: 'db/functions/core/suppliers/classify_results.sql',
    find: "else r #>> '{result,outcome}' end as outcome",
    replace:
      "when r #>> '{result,outcome}' = 'unknown' then 'failed' else r #>> '{result,outcome}' end as outcome",
    tests: [calls],
  },
  {
    name: 'ask another supplier after an unknown outcome',
    breaks: 'After an unknown outcome an item goes to no other supplier.',
    file: plan,
    find: "next_call = case when planned.may_send then 'put' else 'get' end,",
    replace: `next_call = 'put', supplier = coalesce((
        select o.supplier from core.active_offers o where o.product_id = i.product_id and o.supplier <> i.supplier limit 1), i.supplier),`,
    tests: [results],
  },
  {
    name: 'go back to a supplier that has none',
    breaks: 'A supplier that was out of stock for an item is not tried again.',
    file: 'db/functions/core/suppliers/apply_result.sql',
    find: ' and o.supplier <> all (item.tried_suppliers)',
    replace: '',
    tests: [results],
  },
  {
    name: 'never find an item stuck',
    breaks: 'An item that is unsettled past its deadline is stuck.',
    file: plan,
    find: 'case when planned.deadline_at <= now() then now() end',
    replace: 'null',
    tests: [calls],
  },
  {
    name: 'send an item past its deadline',
    breaks: 'After the deadline nothing is sent any more.',
    file: plan,
    find: ' and item.deadline_at > now() as allowed',
    replace: ' as allowed',
    tests: [calls],
  },
  {
    name: 'let a push delay the next call',
    breaks: 'A push that is not final never delays the call that is planned.',
    file: plan,
    find: 'least(i.next_check_at, planned.call_at) else',
    replace: 'planned.call_at else',
    tests: [results],
  },
  {
    name: 'overlook the Retry-After of a supplier',
    breaks: 'A supplier is asked again when it says so.',
    file: plan,
    find: "(a #>> '{result,retryAfter}')::double precision, ",
    replace: '',
    tests: [calls],
  },
  {
    name: 'take a 409 for a refusal',
    breaks: 'A 409 says nothing about the order: its outcome is unknown.',
    file: outcome,
    find: '408, 409, 425, 429]',
    replace: '408, 425, 429]',
    tests: [outcomes],
  },
  {
    name: 'take a 5xx for a refusal',
    breaks: 'A 5xx leaves the outcome unknown.',
    file: outcome,
    find: 'status <= 499',
    replace: 'status <= 599',
    tests: [outcomes],
  },
  {
    name: 'take a 404 to a PUT for never received',
    breaks: 'Only a 404 to the GET says that an order never came.',
    file: outcome,
    find: "call.method === 'GET' && answer.status === 404",
    replace: 'answer.status === 404',
    tests: [outcomes],
  },
  {
    name: 'take a lost connection for a refusal',
    breaks: 'A time-out or a lost connection leaves the outcome unknown.',
    file: 'src/supplier/http.ts',
    find: ': unknown(exchange.lost, exchange)',
    replace:
      ": interpretAnswer({ method: 'PUT', reference: '', token: '' }, { status: 422, retryAfter: null, body: new Uint8Array(), tooLarge: false })",
    tests: ['test/supplier/http.test.ts'],
  },
  {
    name: 'take an answer about another order',
    breaks: 'An answer that names another reference is unusable.',
    file: outcome,
    find: 'if (foreignReference(read.value, call.reference)) return unusable',
    replace: 'if (false) return unusable',
    tests: [outcomes],
  },
  {
    name: 'take a push without its signature',
    breaks: 'A push is signed with the supplier’s token.',
    file: 'src/http/routes/suppliers.ts',
    find: "if (!verifyPush(signed)) return refuseCounted(ctx, 'BAD_SIGNATURE')",
    replace: '',
    tests: ['test/http/routes/suppliers.test.ts'],
  },
  {
    name: 'take an old push',
    breaks: 'A push is at most 300 s old.',
    file: 'src/common/sign.ts',
    find: ' || !isFresh(timestamp, now)) return false',
    replace: ') return false',
    tests: ['test/supplier/push.test.ts'],
  },
  {
    name: 'take an old push before its body is read',
    breaks: 'An old push is refused by its headers alone.',
    file: 'src/common/sign.ts',
    find: '<= REPLAY_WINDOW_SECONDS',
    replace: '<= 10 * REPLAY_WINDOW_SECONDS',
    tests: ['test/http/routes/suppliers.test.ts'],
  },
  {
    name: 'take a push of a supplier that never had the item',
    breaks: 'A supplier speaks of its own items only.',
    file: 'db/functions/api/record_pushed_result.sql',
    find: 'a.item_id = record_pushed_result.item_id and a.supplier = record_pushed_result.supplier',
    replace: 'a.item_id = record_pushed_result.item_id',
    tests: [results],
  },
  {
    name: 'overlook the cap of calls to one supplier',
    breaks: 'A supplier that hangs has its share of calls and no more.',
    file: begin,
    find: '> supplier_cap',
    replace: '> 1000000',
    tests: ['test/tasks/fairness.test.ts'],
  },
]
