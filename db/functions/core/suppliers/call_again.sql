create or replace function core.call_again(answers jsonb[], deadline interval)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
declare
  stuck uuid[];
begin
  with planned as (
    update supply.order_items i set
      next_call = case when again.may_send then 'put' else 'get' end,
      checks = i.checks + case when again.may_send then 0 else 1 end,
      stuck_at = coalesce(i.stuck_at, case when again.deadline_at <= now() then now() end),
      supplier_order_id = coalesce(again.answer #>> '{result,supplierOrderId}', i.supplier_order_id),
      -- What a supplier pushes unasked never puts off the question that is planned.
      next_check_at = case when i.claim_expires_at is null and not again.may_send then least(i.next_check_at, again.call_at) else again.call_at end,
      claim_expires_at = null
    from (
      select a as answer, item.id, may.send as may_send, item.deadline_at, item.was_stuck,
        case
          when item.is_held then null
          when may.send then now()
          when item.deadline_at <= now() then now() + interval '10 minutes'
          else least(item.deadline_at, now() + coalesce(
            make_interval(secs => (a #>> '{result,retryAfter}')::double precision), core.poll_delay(item.checks + 1)))
        end as call_at
      from unnest(answers) as a
      cross join lateral (
        select i.id, i.checks, i.sent_at + deadline as deadline_at, i.held_at is not null as is_held, i.stuck_at is not null as was_stuck
        from supply.order_items i where i.id = (a ->> 'itemId')::uuid offset 0
      ) as item
      cross join lateral (select a ->> 'outcome' = 'not_received' and item.deadline_at > now() as send) as may
      where a ->> 'verdict' = 'waiting'
    ) as again
    where i.id = again.id
    returning i.id, i.stuck_at is not null and not again.was_stuck as became_stuck
  )
  select coalesce(array_agg(p.id) filter (where p.became_stuck), '{}') into stuck from planned p;
  return stuck;
end
$$;
comment on function core.call_again is
  'Plans the next questions to suppliers about open items whose result (core.classify_results) is waiting: on the polling steps, or after the '
  'supplier''s Retry-After; an item may be sent again only where the supplier never received it. After the deadline an item is stuck, is never '
  'sent again, and is asked for every ten minutes. A held item waits for an operator. Gives the items that became stuck now.';
