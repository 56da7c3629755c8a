create or replace function core.classify_results(
  results supply.call_result[], locked_ids uuid[], deadline interval, unsafe_after interval
)
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
        when item.completed_at is not null or item.supplier <> r.supplier then core.classify_late_result(r)
        -- The fencing token of a worker that lost its lease is outdated. A push has none and always counts.
        -- guard: an outdated fencing token of a call changes nothing
        when r.lease_token is not null and r.lease_token is distinct from item.lease_token then 'stale'
        when r.outcome = 'hold' then 'held'
        when r.outcome = 'not_received' and (
          item.recovered_at is not null and core.may_be_elsewhere(item.product_id, item.supplier, item.tried_suppliers)
          -- guard: an order that its supplier had is not sent again where a repeat is not safe
          or (item.sent_at <= now() - unsafe_after or core.placed_before(r) = 'yes')
            and not core.repeat_is_safe(item.supplier, item.sent_at, item.recovered_at)) then 'held'
        -- Its order may still be delivered.
        when r.outcome = 'failed' and core.denies_order(item.id, item.supplier, item.sent_at, r.error_code)
          then 'held'
        when r.outcome in ('unknown', 'not_received', 'not_placed', 'processing') then
          case when item.stuck_at is null and item.sent_at + deadline <= now() and not (
            r.outcome = 'not_placed' and item.held_at is null and item.recovered_at is null
              and core.placed_before(r) = 'no') then 'stuck' else 'waiting' end
        when item.delivery_type = 'key' and (
          cardinality(r.codes) <> (select count(distinct core.code_identity(c)) from unnest(r.codes) as c)
          -- guard: a key item completes with exactly its amount of codes
          or (r.outcome = 'completed') <> (cardinality(r.codes) = item.amount) or cardinality(r.codes) > item.amount
          or exists (
            select from supply.item_keys k
            where k.item_id = item.id and core.code_identity(k.code) <> all (core.code_identities(r.codes)))
        ) then 'held'
        when r.outcome = 'failed' and r.error_code = 'OUT_OF_STOCK' and (item.delivery_type <> 'key' or r.codes = '{}')
          and (core.next_offer((select i from supply.order_items i where i.id = r.item_id), false)).supplier is not null
          then 'next_supplier'
        else 'settled'
      end,
      case
        when r.outcome = 'completed' then item.amount
        when item.delivery_type = 'key' then cardinality(r.codes)
        else 0
      end,
      r.codes, r.error_code, r.reason, r.cause, r.error, r.raw, r.http_status, r.retry_after, r.supplier_order_id,
      r.unit_price, r.price_currency
    )::supply.call_result
    from unnest(results) as r
    cross join lateral (select i.* from supply.order_items i where i.id = r.item_id offset 0) as item
    order by r.item_id);
end
$$;
comment on function core.classify_results is
  'Returns the results in the order of their items, each with its verdict: what it means for its item. busy: the item is
not in locked_ids, or another result of it comes first. deadline, unsafe_after: as in work.finish_calls.';
