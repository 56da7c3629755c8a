import { products } from '../../support/partner.ts'
import type { well } from './scenario.ts'

type Name = keyof typeof well
/** The checks that must fail, what they must name, and the statements that break it; `$name` is that of `well`. */
type Breach = [checks: string, about: Name, ...statements: string[]]

const setAccount = (change: string) => `update supply.accounts set ${change} where id = $account`
const setEntry = (seq: string, change: string) =>
  `update supply.ledger set ${change} where account_id = $account and seq = ${seq}`
const setOrder = (name: Name, change: string) => `update supply.orders set ${change} where code = '$${name}'`
const setItem = (name: Name, change: string) => `update supply.order_items set ${change} where id = '$${name}'`
const setEvent = (name: Name, change: string) => `update supply.events set ${change} where id = '$${name}'`
const setAttempt = (name: Name, attempt: number, change: string) =>
  `update supply.delivery_attempts set ${change} where event_id = '$${name}' and attempt = ${attempt}`
const setJob = (name: Name, change: string) =>
  `update graphile_worker._private_jobs set ${change} where payload ->> 'id' = '$${name}'`
const loseJob = (name: Name) => `delete from graphile_worker._private_jobs where payload ->> 'id' = '$${name}'`
const addJob = (name: Name, at: string, task = 'deliver_webhook') =>
  `select core.enqueue('${task}', '{$${name}}', array[${at}], '${task.replace('waiting', 'webhook')}')`
const addCode = (name: Name) => `insert into supply.item_keys (item_id, position, code) values ('$${name}', 50, 'X')`
const addRound = `insert into supply.delivery_attempts (event_id, round, attempt, lease_token, finished_at, outcome)
  values ('$dead', 2, 1, gen_random_uuid(), now(), 'retry')`

const newest = '(select max(seq) from supply.ledger)'
const charge = `(select seq from supply.ledger l join supply.orders o on o.id = l.order_id
  where o.code = '$open' and l.type = 'order_charge')`
const refund = `(select seq from supply.ledger where item_id = '$noneItem')`
const booked = `order_id = null, reference = 'x', plain_reference = 'x'`
const ofOpen = `order_id = (select id from supply.orders where code = '$open')`

const money: Breach[] = [
  ['account_counts_its_ledger', 'account', setEntry(newest, 'seq = seq + 1'), setAccount('last_seq = last_seq + 1')],
  ['account_counts_its_ledger', 'account', setAccount('last_seq = last_seq + 1')],
  ['ledger_adds_up ledger_adds_up', 'account', setEntry('2', 'balance_after = balance_after + 1')],
  [
    'balance_is_the_last_in_the_ledger ledger_adds_up',
    'account',
    setEntry(newest, 'balance_after = balance_after + 1'),
  ],
  ['balance_is_the_sum_of_the_ledger ledger_adds_up', 'account', setEntry('1', 'amount = amount + 1')],
  [
    'balance_is_the_last_in_the_ledger balance_is_the_sum_of_the_ledger',
    'account',
    setAccount('balance = balance + 0.01'),
  ],
  ['ledger_is_in_the_accounts_currency', 'account', setEntry('1', "currency = 'USD'")],
  ['charge_is_the_orders_total', 'open', setEntry(charge, `type = 'adjustment', ${booked}`)],
  ['total_is_the_sum_of_the_items', 'open', setItem('openItem', 'price = price + 0.01')],
  [
    'failed_item_is_refunded',
    'noneItem',
    setEntry(refund, `type = 'deposit', item_id = null, ${booked}`),
    setItem('noneItem', 'refunded_amount = 0'),
    setOrder('none', 'refunded_amount = 0'),
  ],
  [
    'failed_item_is_refunded',
    'noneItem',
    setItem('noneItem', "status = 'completed', refunded_amount = 0"),
    setOrder('none', "status = 'completed', outcome = 'full'"),
  ],
  [
    'failed_item_is_refunded',
    'noneItem',
    setEntry(refund, ofOpen),
    setOrder('none', 'refunded_amount = 0'),
    setOrder('open', 'refunded_amount = 10.50'),
  ],
  ['failed_item_is_refunded', 'noneItem', setItem('noneItem', 'refunded_amount = 0')],
  ['order_knows_its_refunds', 'none', setOrder('none', 'refunded_amount = 10.49')],
  [
    'refund_by_hand_is_within_the_items_price',
    'openItem',
    setEntry('1', `type = 'adjustment', item_id = '$openItem', adjusted_order_id = 1`),
  ],
]

const open = "status = 'processing', completed_at = null, lease_expires_at = now() + interval '1 minute'"

const orders: Breach[] = [
  ['outcome_agrees_with_the_items', 'full', setItem('fullItem', open)],
  ['outcome_agrees_with_the_items', 'open', setItem('openItem', "status = 'completed', completed_at = now()")],
  ['outcome_agrees_with_the_items', 'full', setOrder('full', "status = 'failed', outcome = 'none'")],
  ['outcome_agrees_with_the_items', 'partial', setOrder('partial', "outcome = 'none'")],
  ['item_has_its_codes', 'keyItem', "delete from supply.item_keys where item_id = '$keyItem' and position = 2"],
  ['item_has_its_codes', 'keyItem', addCode('keyItem')],
  ['item_has_its_codes', 'fullItem', addCode('fullItem')],
  ['item_has_its_codes', 'restItem', addCode('restItem')],
  [
    'rest_of_an_item_belongs_to_a_delivered_part',
    'restItem',
    setItem('restItem', `product_id = ${products.expensive}`),
  ],
  ['final_order_has_its_event', 'told', "delete from supply.events where id = '$waiting'"],
  ['event_has_its_order', 'waiting', setOrder('told', 'callback_url = null')],
  ['event_has_its_order', 'waiting', setEvent('waiting', "event_type = 'order.failed'")],
  [
    'orders_are_numbered_without_a_gap',
    'account',
    `update supply.orders set number = number + 1 where number = (
      select max(number) from supply.orders where account_id = $account)`,
  ],
]

const setSold = (change: string) => `update supply.stock_codes set ${change} where item_id = '$soldItem'`
const setOneSold = (change: string) => `update supply.stock_codes set ${change} where id = (
  select min(id::text)::uuid from supply.stock_codes where item_id = '$soldItem')`
const lookAtAll = 'set local supply.audit_all = on'
const withdraw = "select ops.withdraw_codes('1', 'a bad batch')"
const setFree = (change: string) => `update supply.stock_codes set ${change} where code = 'S4'`

const stock: Breach[] = [
  ['item_has_its_sold_codes', 'soldItem', setOneSold(`state = 'free', code = 'S9', item_id = null, sold_at = null`)],
  [
    'item_has_its_sold_codes',
    'soldItem',
    setSold(`state = 'withdrawn', code = id::text, item_id = null, sold_at = null`),
  ],
  [
    'item_has_its_sold_codes',
    'soldItem',
    setFree(`state = 'sold', code = null, item_id = '$soldItem', sold_at = now()`),
  ],
  [
    'sold_code_belongs_to_its_item',
    'openItem',
    setFree(`state = 'sold', code = null, item_id = '$openItem', sold_at = now()`),
  ],
  [
    'sold_code_belongs_to_its_item',
    'keyItem',
    setFree(`state = 'sold', code = null, item_id = '$keyItem', sold_at = now()`),
  ],
  [
    'sold_code_belongs_to_its_item',
    'alert',
    setFree(`state = 'sold', code = null, item_id = '$alert', sold_at = now()`),
  ],
  ['sold_code_belongs_to_its_item', 'soldItem', setSold(`sku = 'v-2'`), `update supply.stock_batches set sku = 'v-2'`],
  ['sold_code_had_not_expired', 'soldItem', setSold('sell_before = sold_at')],
  ['delivered_code_is_not_free', 'soldItem', setFree("code = 'S2'")],
  ['delivered_code_was_not_withdrawn', 'soldItem', lookAtAll, setFree("code = 'S2'"), withdraw],
]

const countOneMore = 'update supply.result_marks set last_seq = last_seq + 1 where account_id = $account'

const results: Breach[] = [
  [
    'account_counts_its_results final_order_is_among_the_results',
    'account',
    `delete from supply.order_results r using supply.result_marks m
      where m.account_id = $account and (r.account_id, r.seq) = (m.account_id, m.last_seq)`,
  ],
  [
    'results_have_no_gap',
    'account',
    countOneMore,
    `update supply.order_results r set seq = r.seq + 1 from supply.result_marks m
      where m.account_id = $account and (r.account_id, r.seq) = (m.account_id, m.last_seq - 1)`,
  ],
  [
    'result_is_a_final_order_of_the_account',
    'open',
    countOneMore,
    `insert into supply.order_results (account_id, seq, order_id)
      select m.account_id, m.last_seq, o.id from supply.result_marks m, supply.orders o
      where m.account_id = $account and o.code = '$open'`,
  ],
]

const deliveries: Breach[] = [
  ['attempts_are_numbered_without_a_gap', 'dead', setAttempt('dead', 2, 'attempt = 3')],
  ['event_counts_its_attempts', 'dead', setEvent('dead', 'attempts = attempts + 1')],
  ['round_belongs_to_its_event', 'dead', addRound],
  ['only_a_sending_event_has_an_attempt_under_way', 'dead', setAttempt('dead', 2, 'finished_at = null')],
  ['only_a_sending_event_has_an_attempt_under_way', 'sending', setAttempt('sending', 1, 'finished_at = now()')],
  ['delivered_event_was_delivered', 'delivered', setAttempt('delivered', 2, "outcome = 'retry'")],
  ['held_event_belongs_to_an_open_recovery', 'waiting', setEvent('waiting', "state = 'held', next_attempt_at = null")],
]

const ago = (interval: string) => `now() - interval '${interval}'`
const later = (interval: string) => `now() + interval '${interval}'`
const looksLate = (name: Name) => setJob(name, `run_at = ${later('11 minutes')}`)

const queue: Breach[] = [
  ['open_item_has_a_job', 'openItem', loseJob('openItem')],
  ['open_item_has_a_job', 'stuckItem', loseJob('stuckItem')],
  ['open_item_has_a_job', 'openItem', loseJob('openItem'), setItem('openItem', `lease_expires_at = ${ago('91 s')}`)],
  ['open_item_has_a_plan', 'openItem', setItem('openItem', 'next_check_at = null')],
  ['open_item_is_due_soon', 'openItem', setItem('openItem', "lease_expires_at = 'infinity'")],
  ['open_item_is_due_soon', 'openItem', setItem('openItem', `next_check_at = ${later('3 hours')}`)],
  [
    'open_item_is_due_soon',
    'openItem',
    setItem('openItem', 'next_check_at = now()'),
    setJob('openItem', "run_at = 'infinity'"),
  ],
  ['open_event_is_due_soon', 'waiting', setEvent('waiting', "next_attempt_at = 'infinity'")],
  ['open_event_is_due_soon', 'waiting', setEvent('waiting', `next_attempt_at = ${later('26 hours')}`)],
  ['stuck_or_held_item_was_alerted', 'heldItem', "delete from supply.alerts where kind = 'item_held'"],
  [
    'waiting_item_gets_a_place',
    'openItem',
    setItem('openItem', `limited_at = ${ago('2 minutes')}, limited_rank = 0, lease_expires_at = null`),
  ],
  ['stuck_or_held_item_was_alerted', 'stuckItem', setItem('stuckItem', `stuck_at = ${ago('1 hour')}`)],
  ['open_event_has_a_job', 'waiting', loseJob('waiting')],
  [
    'queued_event_waits_for_a_slot',
    'ready',
    setEvent('ready', `state = 'queued', lease_expires_at = null, next_attempt_at = ${ago('2 minutes')}`),
  ],
  ['slot_is_used', 'ready', setEvent('ready', `lease_expires_at = ${ago('51 s')}`)],
  [
    'lost_attempt_has_a_due_job',
    'sending',
    setEvent('sending', `lease_expires_at = ${ago('1 s')}`),
    addJob('sending', later('1 day'), 'deliver_waiting'),
  ],
  ['attempt_ends_with_its_lease', 'sending', setEvent('sending', `lease_expires_at = ${ago('51 s')}`)],
  [
    'overdue_event_has_a_due_job',
    'waiting',
    setEvent('waiting', `next_attempt_at = ${ago('31 s')}`),
    looksLate('waiting'),
  ],
  ...['next_check_at', 'lease_expires_at'].map(
    (column): Breach => [
      'overdue_item_has_a_due_job',
      'openItem',
      setItem('openItem', `${column} = ${ago('31 s')}`),
      looksLate('openItem'),
    ],
  ),
  ['dead_letter_has_no_plan', 'dead', addJob('dead', later('5 minutes'))],
  ['alert_has_a_job', 'alert', loseJob('alert')],
  ['job_may_still_run', 'openItem', setJob('openItem', 'attempts = max_attempts')],
  ['job_does_not_fail_again_and_again', 'openItem', setJob('openItem', "attempts = 10, last_error = 'boom'")],
  [
    'locked_job_has_a_living_worker',
    'openItem',
    setJob('openItem', `locked_at = ${ago('6 minutes')}, locked_by = 'nobody'`),
  ],
  [
    'locked_job_is_known_to_its_worker',
    'openItem',
    `select work.heartbeat(array['pool-1'], 0)`,
    setJob('openItem', `locked_at = ${ago('91 s')}, locked_by = 'pool-1'`),
    `select * from work.compare_jobs('{pool-1}', '{}', '{}', '{}')`,
  ],
]

export const breaches = [...money, ...orders, ...stock, ...results, ...deliveries, ...queue]

/** What looks like a breach, but is well. */
export const noBreaches: { [name: string]: string[] } = {
  'a job that a living worker has for long': [
    `select work.heartbeat(array['pool-1'], 0)`,
    setJob('openItem', `locked_at = ${ago('6 minutes')}, locked_by = 'pool-1'`),
  ],
  'a call under way without a job': [loseJob('openItem'), setItem('openItem', `lease_expires_at = ${later('10 s')}`)],
  'a job that failed after a later one took its key': [
    setJob('openItem', "key = null, locked_at = now(), locked_by = 'pool-1'"),
    addJob('openItem', 'now()', 'call_supplier'),
    `${setJob('openItem', 'attempts = max_attempts, locked_at = null, locked_by = null')} and key is null`,
  ],
  'a code that an operator gave instead of one of the stock, which has it, too': [
    `select ops.replace_code('$soldItem', 'S2', 'S4', 'used already')`,
  ],
  'a code that was withdrawn, loaded again and sold then': [
    lookAtAll,
    setFree("code = 'S2'"),
    withdraw,
    `insert into supply.stock_codes (id, batch_id, supplier, sku, state, item_id, sold_at)
      select core.time_ordered_uuid(), c.batch_id, c.supplier, c.sku, c.state, c.item_id, c.sold_at
      from supply.stock_codes c where c.item_id = '$soldItem' limit 1`,
    setOneSold("state = 'withdrawn', code = 'another', item_id = null, sold_at = null"),
  ],
  'a withdrawn code that was found to be the duplicate of a sold one': [
    lookAtAll,
    setFree("code = 'S2', state = 'duplicate'"),
    withdraw,
  ],
  'an item that an operator holds back': [loseJob('heldItem')],
  'a job that was left when its event died': [addJob('dead', 'now()')],
  'a redelivery': [`select ops.redeliver('$dead')`],
}
