create or replace function core.record_results(results jsonb, deadline interval)
returns table (ordinal int, verdict text)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  lines uuid[] := array(select (r ->> 'itemId')::uuid from jsonb_array_elements(results) r);
  entry record;
  item supply.order_items;
  applied record;
  settled bigint[] := '{}';
  causes text[] := '{}';
  messages text[] := '{}';
begin
  -- One lock order for all who settle: orders, lines, then accounts, each ascending; alerts last.
  perform 1 from supply.orders o
  where o.id = any (array(select i.order_id from supply.order_items i where i.id = any (lines)))
  order by o.id for no key update;
  perform 1 from supply.order_items i where i.id = any (lines) order by i.id for no key update;

  for entry in
    select (r ->> 'ordinal')::int as ordinal, (r ->> 'itemId')::uuid as item_id, (r ->> 'claimId')::uuid as claim_id,
      (r ->> 'attemptId')::bigint as attempt_id, r -> 'result' as result
    from jsonb_array_elements(results) r
    order by (r ->> 'itemId')::uuid, 1
  loop
    select i.* into strict item from supply.order_items i where i.id = entry.item_id;
    select a.* into applied from core.apply_result(
      item, (select s.supplier from supply.supplier_attempts s where s.id = entry.attempt_id),
      entry.claim_id, entry.result, deadline) a;
    perform core.note_result(entry.attempt_id, entry.result, applied.verdict);
    if applied.verdict = 'settled' then
      settled := settled || item.order_id;
    end if;
    if applied.alert_cause is not null then
      causes := causes || applied.alert_cause;
      messages := messages || applied.alert_message;
    end if;
    ordinal := entry.ordinal;
    verdict := applied.verdict;
    return next;
  end loop;

  perform core.finish_orders(settled);
  perform core.enqueue_calls(lines);
  perform core.raise_alerts(causes, messages);
end
$$;
comment on function core.record_results is
  'Records many suppliers'' results, each applied to its line: [{ordinal, itemId, attemptId, claimId (null: a push), result}]. '
  'Settles lines, ends orders, plans the next calls and raises alerts. Gives what came of each by its ordinal.';
revoke all on function core.record_results from public;
