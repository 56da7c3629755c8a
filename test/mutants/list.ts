import type { Mutant } from './mutant.ts'

/** The faults that the tests must notice, in lines that guard money, leases and rights. Each line is marked where it stands. */
export const mutants: Mutant[] = [
  { guard: 'a failed item is refunded, and once', change: 'remove', tests: ['test/sql/orders/order_ends.test.ts'] },
  {
    guard: 'a final order does not end again',
    change: [/ and o\.completed_at is null/, ''],
    tests: ['test/sql/orders/order_ends.test.ts'],
  },
  {
    guard: 'only failed items are refunded',
    change: [/ and i\.status = 'failed'/, ''],
    tests: ['test/sql/orders/order_ends.test.ts'],
  },
  {
    guard: 'an order costs price times quantity',
    change: [/i\.price \* i\.quantity/, 'i.price'],
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
  {
    guard: 'a repeat of an erased order is still compared with what was ordered',
    change: 'remove',
    tests: ['test/sql/housekeeping/erasing.test.ts'],
  },
  {
    guard: 'two items never get one code, and never wait for one',
    change: [/for update skip locked/, ''],
    tests: ['test/sql/stock/sales.test.ts'],
  },
  {
    guard: 'the stock sells nothing after a restore or a failover, until an operator said so',
    change: [/ and s\.paused_at is null and may_sell/, ''],
    tests: ['test/sql/stock/sales.test.ts'],
  },
  { guard: 'codes that an operator loaded are sealed', change: 'remove', tests: ['test/sealing/sentinels.test.ts'] },
  { guard: 'the balance covers an order', change: 'remove', tests: ['test/sql/orders/place_orders.test.ts'] },
  {
    guard: 'nobody approves his own proposal, whatever role the session set',
    change: [/session_user/, "''"],
    tests: ['test/sql/money/approvals.test.ts'],
  },
  {
    guard: 'sums count by the login of the session, whatever role it set',
    change: [/session_user/, 'current_user'],
    tests: ['test/sql/money/approvals.test.ts'],
  },
  {
    guard: 'who may not book it may not decide it',
    change: [/ and has_function_privilege.*'execute'\)/, ''],
    tests: ['test/sql/money/approvals.test.ts'],
  },
  {
    guard: 'an account pays the prices of its own list',
    change: [/l\.list_id = a\.list_id/, 'true'],
    tests: ['test/sql/money/prices.test.ts'],
  },
  {
    guard: 'an item does not use an offer that leaves too little of its price',
    change: [/ and o\.min_price <= p\.unit_price/, ''],
    tests: ['test/sql/money/prices.test.ts'],
  },
  { guard: 'an order fits its spending limits', change: 'remove', tests: ['test/sql/money/spending_limits.test.ts'] },
  {
    guard: 'an item that a supplier may have is not cancelled',
    change: [/ and core\.is_unsent\(i\)/, ''],
    tests: ['test/sql/orders/cancel.test.ts'],
  },
  {
    guard: 'an order of a batch leaves less for the next',
    change: [/and sum.* > least\(c\.balance, c\.room\)/, 'and false'],
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
  {
    guard: 'an idempotency key belongs to one account',
    change: [/ and o\.account_id .* offset 0/, ' limit 1'],
    tests: ['test/http/routes/orders.test.ts'],
  },
  {
    guard: 'a revoked key spends nothing',
    change: [/ or key\.works is not true/, ''],
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
  {
    guard: 'the entries of a batch follow one another',
    change: 'remove',
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
  {
    guard: 'the balances of a batch follow one another',
    change: 'remove',
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
  {
    guard: 'the hashes of a batch follow one another',
    change: 'remove',
    tests: ['test/sql/money/ledger_chain.test.ts'],
  },
  {
    guard: 'a reference is booked once',
    change: [/ and l\.plain_reference.*;/, ' and false;'],
    tests: ['test/sql/ops/accounts.test.ts'],
  },
  {
    guard: 'bookings of an account wait for its lock',
    change: [/ for no key update/, ''],
    tests: ['test/sql/money/locks.test.ts'],
  },
  {
    guard: 'orders of an account wait for its lock',
    change: [/ for no key update skip locked/, ''],
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
  {
    guard: 'an order is written with its jobs',
    change: [/core\.enqueue\('call_supplier', /, '('],
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
  {
    guard: 'a final item stays as it is',
    change: 'remove',
    tests: ['test/sql/suppliers/supplier_results.test.ts', 'test/sql/orders/order_ends.test.ts'],
  },
  {
    guard: 'an outdated fencing token of a call changes nothing',
    change: 'remove',
    tests: ['test/sql/orders/model.test.ts'],
  },
  {
    guard: 'a key item completes with exactly its amount of codes',
    change: 'remove',
    tests: ['test/sql/orders/order_ends.test.ts'],
  },
  {
    guard: 'only the rest of a partial item is refunded',
    change: [/i\.amount - r\.delivered/, 'i.amount'],
    tests: ['test/sql/orders/model.test.ts'],
  },
  {
    guard: 'an operator settles stuck and held items only',
    change: [/item\.stuck_at is not null/, 'true'],
    tests: ['test/sql/suppliers/supplier_results.test.ts'],
  },
  {
    guard: 'an item is sent again only where that is safe',
    change: [/ and item.is_repeatable/, ''],
    tests: ['test/sql/suppliers/capabilities.test.ts'],
  },
  {
    guard: 'an item with an unknown outcome is asked for',
    change: [/else 'get' end/, "else 'put' end"],
    tests: ['test/sql/suppliers/supplier_results.test.ts', 'test/sql/suppliers/supplier_calls.test.ts'],
  },
  {
    guard: 'no worker calls for an item under another lease',
    change: [/coalesce\(i\.lease_expires_at, i\.next_check_at\)/, 'i.next_check_at'],
    tests: ['test/sql/suppliers/supplier_calls.test.ts'],
  },
  {
    guard: 'two calls about an item have the smallest wait of the protocol between them',
    change: [/, core\.earliest_call\(i\)/, ''],
    tests: ['test/sql/suppliers/protocol_rules.test.ts'],
  },
  {
    guard: 'an order is not sent again where that could make a second one',
    change: [/not core\.may_ask\(i\)/, 'false'],
    tests: ['test/sql/suppliers/protocol_rules.test.ts'],
  },
  {
    guard: 'a 5xx leaves the outcome unknown',
    change: [/<= 499/, '<= 599'],
    tests: ['test/suppliers/outcome.test.ts'],
  },
  {
    guard: 'an order of cards that was sent is looked for first',
    change: [/call\.firstSentAt !== null/, 'false'],
    tests: ['test/suppliers/conformance/bamboo.test.ts'],
  },
  {
    guard: 'an item that was sent is looked for first',
    change: [/call\.firstSentAt !== null/, 'false'],
    tests: ['test/suppliers/conformance/kinguin.test.ts'],
  },
  {
    guard: 'an outdated fencing token of a delivery changes nothing',
    change: [/ or e\.lease_token is distinct from r\."?\w+"?/, ''],
    tests: ['test/sql/webhooks/deliveries.test.ts'],
  },
  {
    guard: 'no worker sends an event under another lease',
    change: [/case e\.state .* end as due_at/, 'e.next_attempt_at as due_at'],
    tests: ['test/sql/webhooks/deliveries.test.ts'],
  },
  {
    guard: 'a partner redelivers its own events only',
    change: [/ and e\.account_id = [\w.]+/, ''],
    tests: ['test/http/routes/deliveries.test.ts'],
  },
  {
    guard: 'an operator sends codes only to hosts of the partner',
    change: [/unused is null/, 'true'],
    tests: ['test/sql/ops/redeliveries.test.ts'],
  },
  {
    guard: 'a secret goes only to its hosts',
    change: [/await faultOf\(row\)/, 'null'],
    tests: ['test/worker/supplier_credentials.test.ts'],
  },
  {
    guard: 'a secret goes only to the hosts that used its name first',
    change: [/core\.other_owner_of_secret\(credential, urls\)/, 'null'],
    tests: ['test/worker/supplier_credentials.test.ts'],
  },
  {
    guard: "no supplier is called at an address of a cloud's metadata",
    change: [/error === null && addresses\.some\(.*\)/, 'false'],
    tests: ['test/suppliers/lookup.test.ts'],
  },
  {
    guard: 'no operator delivers a code that another item has',
    change: [/where w\.item_id is distinct from by_others_than or w\.replaced_at is not null/, 'where false'],
    tests: ['test/sql/ops/codes.test.ts'],
  },
  {
    guard: 'a worker that was declared dead records nothing',
    change: [/, lease_expires_at = null, next_check_at = now\(\)/, ''],
    tests: ['test/sql/queue/dead_workers.test.ts'],
  },
  {
    guard: 'a worker that was declared dead records nothing',
    change: [/lease_token = null, /, ''],
    tests: ['test/sql/queue/dead_workers.test.ts'],
  },
  {
    guard: 'no order is sent after the lease of its call',
    change: 'remove',
    tests: ['test/suppliers/conformance/kinguin.test.ts'],
  },
  {
    guard: 'an event is not sent after its lease',
    change: [/!delivery.*\(\)/, 'false'],
    tests: ['test/webhooks/send.test.ts'],
  },
  {
    guard: 'an order that its supplier had is not sent again where a repeat is not safe',
    change: [/ or core.*'yes'/, ''],
    tests: ['test/sql/suppliers/capabilities.test.ts'],
  },
  { guard: 'an account reads its own orders only', change: 'remove', tests: ['test/http/routes/orders.test.ts'] },
  {
    guard: 'a blocked address gets no webhook',
    change: [/bad !== undefined/, 'false'],
    tests: ['test/webhooks/resolve.test.ts'],
  },
  {
    guard: 'no supplier is called after a failover that may have lost orders',
    change: [/may_call and /, ''],
    tests: ['test/sql/ops/failover_loss.test.ts'],
  },
  {
    guard: 'suppliers are called after a failover only if nothing was lost',
    change: [/ and o\.lost = '{}'/, ''],
    tests: ['test/sql/ops/failover_loss.test.ts'],
  },
  {
    guard: 'the result of a call is sealed',
    change: [/await sealOutcome\(.*\)/, 'said'],
    tests: ['test/sealing/sentinels.test.ts'],
  },
  {
    guard: 'a pushed result is sealed',
    change: [/await sealOutcome\(.*\)/, 'outcome'],
    tests: ['test/sealing/sentinels.test.ts'],
  },
  {
    guard: 'no text of an answer repeats a code of an earlier one',
    change: [/needsKnown \? .* : \[\]/, '[]'],
    tests: ['test/sealing/sentinels.test.ts'],
  },
  { guard: 'the codes of a supplier are sealed', change: 'remove', tests: ['test/sealing/sentinels.test.ts'] },
  { guard: 'what is quoted of an answer is sealed', change: 'remove', tests: ['test/sealing/sentinels.test.ts'] },
  {
    guard: 'the secret of an account is sealed',
    change: [/sealing\.seal\((.*), owners.*\)$/, '$1'],
    tests: ['test/sealing/sentinels.test.ts'],
  },
  {
    guard: 'nothing is stored under a data key that npm run reseal has closed',
    change: [/closed_id is not null/, 'false'],
    tests: ['test/sealing/closed_keys.test.ts'],
  },
  {
    guard: 'what transactions under way still store under a closed key is sealed again',
    change: 'remove',
    tests: ['test/sealing/closed_keys.test.ts'],
  },
  { guard: 'a token that an operator typed is sealed', change: 'remove', tests: ['test/sealing/sentinels.test.ts'] },
  { guard: 'the codes that an operator typed are sealed', change: 'remove', tests: ['test/sealing/sentinels.test.ts'] },
]
