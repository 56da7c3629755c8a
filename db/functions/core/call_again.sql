create or replace function core.call_again(item supply.order_items, result jsonb, deadline interval)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  deadline_at timestamptz := item.sent_at + deadline;
  may_send_again boolean;
  call_at timestamptz;
  now_stuck boolean;
begin
  now_stuck := item.stuck_at is null and deadline_at <= now();
  may_send_again := result ->> 'outcome' = 'not_received' and deadline_at > now();
  call_at := case
    when item.held_at is not null then null
    when may_send_again then now()
    when deadline_at <= now() then now() + interval '10 minutes'
    else least(deadline_at, now() + coalesce(
      make_interval(secs => (result ->> 'retryAfter')::double precision), core.poll_delay(item.checks + 1)))
  end;
  update supply.order_items i set
    next_call = case when may_send_again then 'put' else 'get' end,
    checks = i.checks + case when may_send_again then 0 else 1 end,
    stuck_at = case when now_stuck then now() else i.stuck_at end,
    supplier_order_id = coalesce(result ->> 'supplierOrderId', i.supplier_order_id),
    -- What a supplier pushes unasked never puts off the question that is planned.
    next_check_at = case when i.claim_expires_at is null and not may_send_again then least(i.next_check_at, call_at) else call_at end,
    claim_expires_at = null
  where i.id = item.id;
  return now_stuck;
end
$$;
comment on function core.call_again is
  'Plans the next question to the supplier about an open line: on the polling steps, or after the supplier''s Retry-After; the line may be '
  'sent again only where the supplier never received it. After the deadline the line is stuck, is never sent again, and is asked for '
  'every ten minutes. A held line waits for an operator. Gives whether the line became stuck now.';
revoke all on function core.call_again from public;
