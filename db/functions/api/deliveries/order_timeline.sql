create or replace function api.order_timeline(account_id bigint, code text)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select json_build_object('code', order_timeline.code, 'entries', (
    select json_agg(json_build_object(
      'at', core.iso(t.at), 'what', t.what, 'itemId', t.item_id, 'amount', t.amount, 'round', t.round, 'attempt', t.attempt,
      'status', t.status_code, 'error', t.error, 'nextAttemptAt', core.iso(t.next_attempt_at)) order by t.at, t.place, t.item_id)
    from core.story_for_partner(o.id) t where t.at is not null))
  from core.own_order(order_timeline.account_id, order_timeline.code) as o (id) where o.id is not null
$$;
comment on function api.order_timeline is
  'What happened to an order of the account, in order of time, as far as the partner may know; null if it has none with this code.';
