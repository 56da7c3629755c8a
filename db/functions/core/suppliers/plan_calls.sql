create or replace function core.plan_calls(results supply.call_result[], deadline interval)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  polling_steps constant int[] := array[1, 2, 5, 10, 20, 30, 60];
begin
  update supply.order_items i set
    -- guard: an item with an unknown outcome is asked for
    next_call = case when planned.may_send or planned.may_repeat then 'put' else 'get' end,
    sent_at = case when planned.is_unsent then null else i.sent_at end,
    checks = i.checks + case when planned.may_send then 0 else 1 end,
    stuck_at = case when planned.verdict = 'stuck' then now() else i.stuck_at end,
    supplier_order_id = coalesce(planned.supplier_order_id, i.supplier_order_id),
    -- A push never delays the call that is planned.
    next_check_at = case
      when i.lease_expires_at is null and not planned.may_send then least(i.next_check_at, planned.call_at)
      else planned.call_at
    end,
    lease_expires_at = null
  from (
    select r.item_id, r.verdict, r.supplier_order_id, send.may_send, unplaced.is_unsent, unplaced.may_repeat,
      case
        when item.is_held then null
        else greatest(now() + item.min_wait, case
          when send.may_send then now()
          when item.deadline_at <= now() and not unplaced.is_unsent then now() + interval '10 minutes'
          else least(case when not unplaced.is_unsent then item.deadline_at end, now() + make_interval(
            secs => coalesce(r.retry_after, polling_steps[least(item.checks + 1, cardinality(polling_steps))])))
        end)
      end as call_at
    from unnest(results) as r
    cross join lateral (
      select i.checks, i.recovered_at is not null as is_recovered, i.held_at is not null as is_held,
        i.sent_at + deadline as deadline_at, (
          select p.min_wait from supply.suppliers s join supply.protocols p on p.name = s.protocol
          where s.code = i.supplier) as min_wait,
        r.outcome in ('not_received', 'not_placed') and i.sent_at + deadline > now()
          and core.repeat_is_safe(i.supplier, i.sent_at, i.recovered_at) as is_repeatable
      from supply.order_items i where i.id = r.item_id offset 0
    ) as item
    cross join lateral (
      select case when r.outcome in ('not_received', 'not_placed') and not item.is_held
        then core.placed_before(r) end as before offset 0
    ) as history
    cross join lateral (
      -- guard: an item is sent again only where that is safe
      select r.outcome = 'not_received' and not item.is_held and item.is_repeatable and history.before <> 'yes'
        as may_send
    ) as send
    cross join lateral (
      select coalesce(r.outcome = 'not_placed' and history.before = 'no' and not item.is_recovered, false) as is_unsent,
        coalesce(case
          -- It denies an order that it had: each repeat waits for a step.
          when r.outcome = 'not_received' then history.before = 'yes' and item.is_repeatable
          when history.before = 'no' then not item.is_recovered or item.deadline_at > now()
          when history.before = 'perhaps' then item.is_repeatable
        end, false) as may_repeat
    ) as unplaced
    where r.verdict in ('waiting', 'stuck')
  ) as planned
  where i.id = planned.item_id;
end
$$;
comment on function core.plan_calls is
  'Plans the next call about each item that waits or is stuck: by the polling steps (s) or retry_after, never within
min_wait, of a stuck item every ten minutes. An item is sent again only before its deadline, and where
core.repeat_is_safe. One that no call can have placed counts as never sent. A held item gets no call.';
