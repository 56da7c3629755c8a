import type { Mutant } from './mutant.ts'

const calls = 'test/sql/suppliers/supplier_calls.test.ts'
const results = 'test/sql/suppliers/supplier_results.test.ts'
const ends = 'test/sql/orders/order_ends.test.ts'
const classify = 'db/functions/core/suppliers/classify_results.sql'
const apply = 'db/functions/core/suppliers/apply_result.sql'
const verdict = 'db/functions/core/suppliers/supplier_verdict.sql'
const finishCalls = 'db/functions/core/suppliers/finish_calls.sql'
const finishOrders = 'db/functions/core/orders/finish_orders.sql'
const settleByHand = 'db/functions/ops/orders/settle_item.sql'

/** Items, from what a supplier said to the end of the order. */
export const items: Mutant[] = [
  {
    name: 'settle a final item again',
    breaks: 'A final item stays as it is, whatever its supplier says later.',
    file: classify,
    find: "when item.completed_at is not null or item.supplier <> attempt.supplier then 'individual'",
    replace: '',
    tests: [results, ends],
  },
  {
    name: 'settle a final item again, one by one',
    breaks: 'A rare result changes no final item either.',
    file: apply,
    find: 'if item.completed_at is not null or item.supplier <> supplier then',
    replace: 'if item.supplier <> supplier then',
    tests: [results, ends],
  },
  {
    name: 'lose the fencing token of a call',
    breaks: 'A result under an outdated fencing token changes nothing.',
    file: classify,
    find: "(r ->> 'claimId')::uuid is distinct from item.claim_id then",
    replace: 'false then',
    tests: [calls],
  },
  {
    name: 'lose the fencing token of a rare result',
    breaks: 'A rare result under an outdated fencing token changes nothing either.',
    file: apply,
    find: 'claim_id is distinct from item.claim_id then',
    replace: 'false then',
    tests: [calls],
  },
  {
    name: 'apply two results of an item at once',
    breaks: 'Of two results of an item in a batch the second sees what the first did.',
    file: classify,
    find: "> 1 then 'deferred'",
    replace: "> 1000 then 'deferred'",
    tests: [calls, results],
  },
  {
    name: 'settle an item with a code too few',
    breaks: 'A key item completes with exactly its amount of codes.',
    file: classify,
    find: "when said.codes <> case said.outcome when 'completed' then item.amount else 0 end then 'individual'",
    replace: '',
    tests: [ends],
  },
  {
    name: 'complete an item with too many codes',
    breaks: 'Too many codes hold an item for an operator.',
    file: verdict,
    find: "when distinct_codes = item.amount then 'complete'",
    replace: "when distinct_codes >= item.amount then 'complete'",
    tests: [ends],
  },
  {
    name: 'settle an item with the same code twice',
    breaks: 'A code counts once.',
    file: classify,
    find: "when said.codes <> (select count(distinct c) from jsonb_array_elements_text(r #> '{result,codes}') as c) then 'individual'",
    replace: '',
    tests: [ends],
  },
  {
    name: 'take the same code twice for a surplus or a part',
    breaks: 'An answer with the same code twice holds the item.',
    file: verdict,
    find: "when distinct_codes <> cardinality(codes) then 'hold'",
    replace: '',
    tests: [ends],
  },
  {
    name: 'drop codes that were kept',
    breaks: 'A held item settles only on an answer with the codes that came before.',
    file: verdict,
    find: 'where k.item_id = item.id except select c from unnest(codes) as c',
    replace: 'where false',
    tests: [ends],
  },
  {
    name: 'refund the whole of an item of which a part came',
    breaks: 'A part is delivered, and the rest alone is refunded.',
    file: 'db/functions/core/orders/settle_item.sql',
    find: 'item.amount - delivered, item.price',
    replace: 'item.amount, item.price',
    tests: [ends],
  },
  {
    name: 'end an order with open items',
    breaks: 'An order ends when all its items are final.',
    file: finishOrders,
    find: 'count(*) filter (where i.completed_at is null) as open',
    replace: '0 as open',
    tests: [ends],
  },
  {
    name: 'announce a partial result',
    breaks: 'A partial result sends no event.',
    file: 'db/functions/core/webhooks/order_events.sql',
    find: " and o.outcome <> 'partial'",
    replace: '',
    tests: [ends],
  },
  {
    name: 'announce nothing',
    breaks: 'The event is written and delivered from the transaction that ends the order.',
    file: finishOrders,
    find: 'to_make := core.announce_orders(to_announce, announced_to, recovered, least(to_send, cardinality(to_announce)));',
    replace: '',
    tests: ['test/sql/webhooks/delivery_slots.test.ts'],
  },
  {
    name: 'forget to ask for an item again',
    breaks: 'An open item has a job for its next call.',
    file: finishCalls,
    find: 'i.completed_at is null and i.next_check_at is not null and i.claim_expires_at is null',
    replace: 'false',
    tests: [calls],
  },
  {
    name: 'alert nobody of a stuck item',
    breaks: 'A stuck item alerts the operators.',
    file: finishCalls,
    find: 'if cardinality(stuck) > 0 then',
    replace: 'if false then',
    tests: [calls],
  },
  {
    name: 'let an operator settle a final item',
    breaks: 'An operator settles no item that is final.',
    file: settleByHand,
    find: 'elsif item.completed_at is not null then',
    replace: 'elsif false then',
    tests: [results],
  },
  {
    name: 'let an operator settle an item at its supplier',
    breaks: 'An operator settles stuck and held items only.',
    file: settleByHand,
    find: 'elsif item.stuck_at is null and item.held_at is null then',
    replace: 'elsif false then',
    tests: [results],
  },
  {
    name: 'complete an item by hand with a code too few',
    breaks: 'By hand, too, a key item completes with exactly its amount of codes.',
    file: settleByHand,
    find: "if outcome = 'completed' and delivered <> item.amount and had > item.amount then",
    replace: 'if false then',
    also: [
      {
        file: settleByHand,
        find: "elsif outcome = 'completed' and delivered <> item.amount then",
        replace: 'elsif false then',
      },
    ],
    tests: [results],
  },
]
