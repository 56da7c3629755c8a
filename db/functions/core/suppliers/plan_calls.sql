create or replace function core.plan_calls(answers jsonb[], deadline interval)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  stuck uuid[];
begin
  with changed as (
    update supply.order_items i set
      next_call = case when planned.may_send or planned.may_repeat then 'put' else 'get' end,
      sent_at = case when planned.is_unsent then null else i.sent_at end,
      checks = i.checks + case when planned.may_send then 0 else 1 end,
      stuck_at = coalesce(i.stuck_at, case when planned.deadline_at <= now() and not planned.is_unsent then now() end),
      supplier_order_id = coalesce(planned.answer #>> '{result,supplierOrderId}', i.supplier_order_id),
      -- A push never delays the call that is planned.
      next_check_at = case when i.lease_expires_at is null and not planned.may_send then least(i.next_check_at, planned.call_at) else planned.call_at end,
      lease_expires_at = null
    from (
      select a as answer, item.id, send.allowed as may_send, unplaced.is_unsent, unplaced.may_repeat, item.deadline_at, item.was_stuck,
        case
          when item.is_held then null
          when send.allowed then now()
          when item.deadline_at <= now() and not unplaced.is_unsent then now() + interval '10 minutes'
          else least(case when not unplaced.is_unsent then item.deadline_at end, now() + make_interval(secs => coalesce(
            (a #>> '{result,retryAfter}')::double precision, (array[1, 2, 5, 10, 20, 30])[item.checks + 1], 60)))
        end as call_at
      from unnest(answers) as a
      cross join lateral (
        select i.id, i.checks, i.supplier, i.sent_at, i.recovered_at, i.sent_at + deadline as deadline_at, i.held_at is not null as is_held,
          i.stuck_at is not null as was_stuck
        from supply.order_items i where i.id = (a ->> 'itemId')::uuid offset 0
      ) as item
      cross join lateral (
        select a ->> 'outcome' = 'not_received' and item.deadline_at > now() and not item.is_held
          and core.repeat_is_safe(item.supplier, item.sent_at, item.recovered_at) as allowed
      ) as send
      cross join lateral (
        select case when a ->> 'outcome' = 'not_placed' and not item.is_held
          then core.placed_before(item.id, item.supplier, (a ->> 'attemptId')::bigint) end as before
      ) as history
      cross join lateral (
        select coalesce(history.before = 'no' and item.recovered_at is null, false) as is_unsent,
          coalesce(case history.before
            when 'no' then item.recovered_at is null or item.deadline_at > now()
            when 'perhaps' then item.deadline_at > now() and core.repeat_is_safe(item.supplier, item.sent_at, item.recovered_at)
          end, false) as may_repeat
      ) as unplaced
      where a ->> 'verdict' = 'waiting'
    ) as planned
    where i.id = planned.id
    returning i.id, i.stuck_at is not null and not planned.was_stuck as became_stuck
  )
  select coalesce(array_agg(c.id) filter (where c.became_stuck), '{}') into stuck from changed c;
  return stuck;
end
$$;
comment on function core.plan_calls is
  'Plans the next calls to suppliers about open items whose result (core.classify_results) is waiting: on the polling steps, or after the '
  'supplier''s Retry-After; an item may be sent again only where the supplier never received it, or by the call placed no order, and where that is '
  'safe by the promises of the protocol (core.repeat_is_safe). If no call to the supplier can have placed it, it counts as never sent, which may go '
  'to another one. After the deadline an item is stuck, is never '
  'sent again, and is asked for every ten minutes. A held item waits for an operator. Returns the items that became stuck now.';
