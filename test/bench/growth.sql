-- Fills a fresh database, whose accounts have one deposit each, with final orders as the service would have written
-- them in a year: a fifth of them of the first account, one in ten failed and refunded, and the events of some on a
-- rung of their ladders. Settings of the session: bench.orders, how many; bench.rungs, how many of their events are on
-- rungs; bench.product, of what.

-- No triggers and no look-up of foreign keys: the audit tells afterwards whether all fits together.
set local session_replication_role = replica;

create temp table filled on commit drop as
select
  n,
  buyer.id as account_id,
  row_number() over (partition by buyer.id order by n) as number,
  'ord_' || md5('order' || n) as code,
  (began || substr(md5('item' || n), 14))::uuid as item_id,
  (began || substr(md5('call' || n), 14))::uuid as call_id,
  md5('event' || n)::uuid as event_id,
  (began || substr(md5('delivery' || n), 14))::uuid as delivery_id,
  n % 10 = 3 as failed,
  n * r.rungs / r.orders > (n - 1) * r.rungs / r.orders as on_a_rung,
  t.placed_at,
  t.placed_at + interval '2 seconds' as ended_at
from generate_series(1, current_setting('bench.orders')::int) n
cross join (select count(*) as accounts from supply.accounts) c
cross join (
  select current_setting('bench.orders')::bigint as orders, current_setting('bench.rungs')::bigint as rungs) r
join (select a.id, row_number() over (order by a.id) - 1 as place from supply.accounts a) buyer
  on buyer.place = case when n % 5 = 0 then 0 else (n / 5) % c.accounts end
cross join lateral (
  select now() - interval '365 days' * (1 - (n - 1)::float8 / current_setting('bench.orders')::int) - interval '1 minute' as placed_at
) t
-- As core.time_ordered_uuid begins.
cross join lateral (select lpad(to_hex((extract(epoch from t.placed_at) * 1000)::bigint), 12, '0') || '7' as began) times;
analyze filled;

insert into supply.orders
  (id, code, account_id, number, idempotency_key, external_order_id, callback_url, request_items, status, outcome, total_amount,
   refunded_amount, currency, reason, created_at, updated_at, completed_at)
overriding system value
select f.n, f.code, f.account_id, f.number, 'filled-' || f.n, 'filled-' || f.n, 'http://127.0.0.1:9/hook',
  jsonb_build_array(jsonb_build_object(
    'productId', current_setting('bench.product')::int, 'quantity', 1, 'deliveryData', '{"gameUserId": "12345"}'::jsonb)),
  case when f.failed then 'failed' else 'completed' end, case when f.failed then 'none' else 'full' end, 1.00,
  case when f.failed then 1.00 else 0.00 end, 'RUB', case when f.failed then 'No such player.' end,
  f.placed_at, f.ended_at, f.ended_at
from filled f order by f.n;
select setval(pg_get_serial_sequence('supply.orders', 'id'), (select max(n) from filled));

insert into supply.order_items
  (id, order_id, position, product_id, product_name, delivery_type, delivery_data, amount, price, status, refunded_amount,
   error_code, error_message, completed_at, supplier, sku, supplier_order_id, sent_at, next_call, lease_token)
select f.item_id, f.n, 0, p.id, p.name, p.delivery_type, '{"gameUserId": "12345"}', 1, 1.00,
  case when f.failed then 'failed' else 'completed' end, case when f.failed then 1.00 else 0.00 end,
  case when f.failed then 'PLAYER_NOT_FOUND' end, case when f.failed then 'No such player.' end,
  f.ended_at, 'bench', 'sku', 'at-supplier-' || f.n, f.placed_at, 'get', f.call_id
from filled f join supply.products p on p.id = current_setting('bench.product')::int order by f.n;

insert into supply.supplier_attempts
  (item_id, supplier, method, lease_token, started_at, finished_at, status_code, outcome, verdict, raw)
select f.item_id, 'bench', 'put', f.call_id, f.placed_at, f.ended_at, 200,
  case when f.failed then 'failed' else 'completed' end, 'settled', '{"status":"completed"}'
from filled f order by f.n;

-- The deposits are older than the orders.
update supply.ledger l set created_at = now() - interval '366 days';

insert into supply.ledger
  (account_id, seq, type, amount, balance_after, currency, order_id, item_id, created_at, hash)
select e.account_id, a.last_seq + row_number() over ways, e.type, e.amount, a.balance + sum(e.amount) over ways, 'RUB',
  e.n, e.item_id, e.at, sha256('')
from (
  select f.account_id, f.n, 'order_charge' as type, -1.00 as amount, null::uuid as item_id, f.placed_at as at from filled f
  union all
  select f.account_id, f.n, 'order_refund', 1.00, f.item_id, f.ended_at from filled f where f.failed
) e
join supply.accounts a on a.id = e.account_id
window ways as (partition by e.account_id order by e.at, e.n rows unbounded preceding);
do $$
declare
  line supply.ledger;
  previous bytea;
begin
  for line in select * from supply.ledger order by account_id, seq loop
    previous := core.entry_hash(case when line.seq > 1 then previous end, line);
    update supply.ledger set hash = previous where (account_id, seq) = (line.account_id, line.seq);
  end loop;
end
$$;

update supply.accounts a set balance = newest.balance_after, last_seq = newest.seq
from (
  select distinct on (l.account_id) l.account_id, l.seq, l.balance_after from supply.ledger l order by l.account_id, l.seq desc
) newest
where newest.account_id = a.id;

insert into supply.order_results (account_id, seq, order_id)
select f.account_id, row_number() over (partition by f.account_id order by f.ended_at, f.n), f.n
from filled f where f.ended_at is not null order by f.n;

update supply.result_marks m set last_seq = (
  select coalesce(max(r.seq), 0) from supply.order_results r where r.account_id = m.account_id);

insert into supply.events
  (id, account_id, order_id, order_code, event_type, callback_url, body, state, attempts, next_attempt_at, lease_token,
   delivered_at, created_at)
select f.event_id, f.account_id, f.n, f.code, case when f.failed then 'order.failed' else 'order.completed' end,
  'http://127.0.0.1:9/hook', json_build_object('event_id', f.event_id, 'filler', repeat('x', 500))::text,
  case when f.on_a_rung then 'waiting' else 'delivered' end, 1,
  case when f.on_a_rung then now() + interval '2 hours' + f.n % 1200 * interval '1 minute' end,
  f.delivery_id, case when not f.on_a_rung then f.ended_at end, f.ended_at
from filled f order by f.n;

insert into supply.delivery_attempts
  (event_id, round, attempt, lease_token, started_at, finished_at, status_code, outcome, next_attempt_at)
select e.id, 1, 1, e.lease_token, e.created_at, e.created_at, case e.state when 'waiting' then 503 else 200 end,
  case e.state when 'waiting' then 'retry' else 'delivered' end, e.next_attempt_at
from supply.events e order by e.order_id;

select count(*) from graphile_worker.add_jobs(array(
  select row('deliver_waiting', json_build_object('id', e.id), null, e.next_attempt_at, 1000, 'deliver_webhook:' || e.id, 0, null)
    ::graphile_worker.job_spec
  from supply.events e where e.state = 'waiting'));
