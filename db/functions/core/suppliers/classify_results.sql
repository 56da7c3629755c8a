create or replace function core.classify_results(results jsonb, unsafe_after interval)
returns jsonb[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select r || jsonb_build_object('supplier', attempt.supplier, 'method', attempt.method, 'outcome', said.outcome, 'isNoted',
      said.outcome in ('unknown', 'not_placed') or attempt.supplier = any (array(
        select s.code from supply.suppliers s
        where s.failures > 0 or s.open_since is not null or s.trouble is not null or s.max_calls is not null)), 'verdict', case
      when row_number() over (partition by item.id order by (r ->> 'ordinal')::int) > 1 then 'deferred'
      when item.completed_at is not null or item.supplier <> attempt.supplier then 'individual'
      -- The fencing token of a worker that lost its lease is outdated. A push has none and always counts.
      when r ->> 'leaseToken' is not null and (r ->> 'leaseToken')::uuid is distinct from item.lease_token then 'individual'
      when said.outcome = 'not_received' and (
        item.recovered_at is not null and core.may_be_elsewhere(item.product_id, item.supplier, item.tried_suppliers)
        or item.sent_at <= now() - unsafe_after and not core.repeat_is_safe(item.supplier, item.sent_at, item.recovered_at)) then 'individual'
      when said.outcome = 'hold' then 'individual'
      when said.outcome in ('unknown', 'not_received', 'not_placed', 'processing') then 'waiting'
      when said.outcome = 'failed' and r #>> '{result,errorCode}' = 'OUT_OF_STOCK' then 'individual'
      when item.delivery_type <> 'key' then 'settled'
      when said.codes <> case said.outcome when 'completed' then item.amount else 0 end then 'individual'
      when said.codes <> (select count(distinct c) from jsonb_array_elements_text(r #> '{result,codes}') as c) then 'individual'
      when exists (select from supply.item_keys k where k.item_id = item.id) then 'individual'
      else 'settled'
    end)
    from jsonb_array_elements(results) as r
    cross join lateral (select i.* from supply.order_items i where i.id = (r ->> 'itemId')::uuid offset 0) as item
    left join lateral (
      select a.supplier, a.method from supply.supplier_attempts a where a.id = (r ->> 'attemptId')::bigint offset 0
    ) as attempt on true
    cross join lateral (select
      case
        when r #>> '{result,outcome}' = 'answered' then r #>> '{result,status}'
        -- Who only asks places nothing in any case.
        when r #>> '{result,outcome}' = 'not_placed' and attempt.method is distinct from 'put' then 'unknown'
        else r #>> '{result,outcome}'
      end as outcome,
      case when jsonb_typeof(r #> '{result,codes}') = 'array' then jsonb_array_length(r #> '{result,codes}') else 0 end as codes
    ) as said);
end
$$;
comment on function core.classify_results is
  'What suppliers'' results mean for their items, which the caller has locked: each entry with its supplier, its outcome, the method of the call, '
  ''
  'whether its supplier has something to note of it (isNoted: core.count_answers, core.call_next), and a verdict. settled: all '
  'or nothing of the item was delivered, without contradiction. waiting: it is asked for again. deferred: another result of the same item comes first. '
  'individual: core.apply_result decides. unsafe_after is how long an item is looked for that its supplier does not have and that may not be sent again.';
