create or replace function core.alerts_of_results(results supply.call_result[])
returns supply.occurrence[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array_agg(row(
    case r.verdict when 'held' then 'item_held' when 'stuck' then 'item_stuck' else 'contradicting_result' end,
    r.supplier, null,
    case r.verdict
      when 'held' then format('item %s at supplier %s is held for an operator: %s', i.id, i.supplier, i.held_reason)
      when 'stuck' then format('supplier %s has not settled item %s within its deadline', r.supplier, i.id)
      when 'waiting' then format('supplier %s had item %s and does not know it now', r.supplier, i.id)
      else format('supplier %s says %s about item %s, which is %s at %s',
        r.supplier, r.outcome, i.id, i.status, i.supplier)
    end)::supply.occurrence)
  from unnest(results) as r join supply.order_items i on i.id = r.item_id
  where r.verdict in ('held', 'stuck', 'late', 'contradicting')
    or r.verdict = 'waiting' and r.outcome = 'not_received' and core.placed_before(r) = 'yes'
$$;
comment on function core.alerts_of_results is
  'Returns the alerts for operators that verdicts on results cause: held, stuck, late, contradicting, and waiting where
the supplier does not know an order that it had.';
