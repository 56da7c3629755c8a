create or replace function core.plan_calls(results supply.call_result[], deadline interval)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  polling_steps constant int[] := array[1, 2, 5, 10, 20, 30, 60];
  stuck uuid[];
begin
  with changed as (
    update supply.order_items i set
      -- guard: an item with an unknown outcome is asked for
      next_call = case when planned.may_send or planned.may_repeat then 'put' else 'get' end,
      sent_at = case when planned.is_unsent then null else i.sent_at end,
      checks = i.checks + case when planned.may_send then 0 else 1 end,
      stuck_at = coalesce(i.stuck_at, case when planned.deadline_at <= now() and not planned.is_unsent then now() end),
      supplier_order_id = coalesce(planned.supplier_order_id, i.supplier_order_id),
      -- A push never delays the call that is planned.
      next_check_at = case
        when i.lease_expires_at is null and not planned.may_send then least(i.next_check_at, planned.call_at)
        else planned.call_at
      end,
      lease_expires_at = null
    from (
      select item.id, r.supplier_order_id, send.allowed as may_send, unplaced.is_unsent, unplaced.may_repeat,
        item.deadline_at, item.was_stuck,
        case
          when item.is_held then null
          when send.allowed then now()
          when item.deadline_at <= now() and not unplaced.is_unsent then now() + interval '10 minutes'
          else least(case when not unplaced.is_unsent then item.deadline_at end, now() + make_interval(
            secs => coalesce(r.retry_after, polling_steps[least(item.checks + 1, cardinality(polling_steps))])))
        end as call_at
      from unnest(results) as r
      cross join lateral (
        select i.id, i.checks, i.supplier, i.sent_at, i.recovered_at, i.sent_at + deadline as deadline_at,
          i.held_at is not null as is_held, i.stuck_at is not null as was_stuck
        from supply.order_items i where i.id = r.item_id offset 0
      ) as item
      cross join lateral (
        -- guard: an item is sent again only where it was not received
        select r.outcome = 'not_received' and item.deadline_at > now() and not item.is_held
          and core.repeat_is_safe(item.supplier, item.sent_at, item.recovered_at) as allowed
      ) as send
      cross join lateral (
        select case when r.outcome = 'not_placed' and not item.is_held
          then core.placed_before(item.id, item.supplier, r.attempt_id) end as before
      ) as history
      cross join lateral (
        select coalesce(history.before = 'no' and item.recovered_at is null, false) as is_unsent,
          coalesce(case history.before
            when 'no' then item.recovered_at is null or item.deadline_at > now()
            when 'perhaps' then item.deadline_at > now()
              and core.repeat_is_safe(item.supplier, item.sent_at, item.recovered_at)
          end, false) as may_repeat
      ) as unplaced
      where r.verdict = 'waiting'
    ) as planned
    where i.id = planned.id
    returning i.id, i.stuck_at is not null and not planned.was_stuck as became_stuck
  )
  select coalesce(array_agg(c.id) filter (where c.became_stuck), '{}') into stuck from changed c;
  return stuck;
end
$$;
comment on function core.plan_calls is
  'Plans the next calls about items whose result is waiting: by the polling steps (s) or the supplier''s Retry-After. An item is sent
again only where that is safe (core.repeat_is_safe), and never after its deadline: it is stuck then, and asked for every ten minutes.
An item that no call can have placed counts as never sent. A held item waits for an operator. Returns what became stuck.';
