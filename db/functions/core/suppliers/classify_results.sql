create or replace function core.classify_results(results supply.call_result[], locked_ids uuid[], unsafe_after interval)
returns supply.call_result[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select row(
      r.ordinal, r.item_id, r.attempt_id, r.lease_token, r.supplier, r.method, r.outcome,
      case
        when r.item_id <> all (locked_ids) then 'busy'
        when row_number() over (partition by r.item_id order by r.ordinal) > 1 then 'busy'
        -- guard: a final item stays as it is
        when item.completed_at is not null or item.supplier <> r.supplier then 'individual'
        -- The fencing token of a worker that lost its lease is outdated. A push has none and always counts.
        -- guard: an outdated fencing token of a call changes nothing
        when r.lease_token is not null and r.lease_token is distinct from item.lease_token then 'individual'
        when r.outcome = 'hold' then 'individual'
        when r.outcome = 'not_received' and (
          item.recovered_at is not null and core.may_be_elsewhere(item.product_id, item.supplier, item.tried_suppliers)
          or item.sent_at <= now() - unsafe_after
            and not core.repeat_is_safe(item.supplier, item.sent_at, item.recovered_at)) then 'individual'
        when r.outcome in ('unknown', 'not_received', 'not_placed', 'processing') then 'waiting'
        when r.outcome = 'failed' and r.error_code = 'OUT_OF_STOCK' then 'individual'
        when item.delivery_type <> 'key' then 'settled'
        -- guard: a key item completes with exactly its amount of codes
        when cardinality(r.codes) <> case r.outcome when 'completed' then item.amount else 0 end then 'individual'
        when cardinality(r.codes) <> (select count(distinct c) from unnest(r.codes) as c) then 'individual'
        when exists (select from supply.item_keys k where k.item_id = item.id) then 'individual'
        else 'settled'
      end,
      r.codes, r.error_code, r.reason, r.cause, r.error, r.raw, r.http_status, r.retry_after, r.supplier_order_id
    )::supply.call_result
    from unnest(results) as r
    cross join lateral (select i.* from supply.order_items i where i.id = r.item_id offset 0) as item
    order by r.item_id);
end
$$;
comment on function core.classify_results is
  'Returns the results in order of their items, each with its verdict. settled: the whole item was delivered or failed. waiting: it is
asked for again. busy: its item is not in locked_ids, or another result of the item comes first. individual: core.apply_result
decides. unsafe_after: as work.finish_calls.';
