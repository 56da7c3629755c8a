create or replace function ops.settle_item(item_id uuid, outcome text, codes text[] default null, reason text default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
  had int := (select count(*) from supply.item_keys k where k.item_id = settle_item.item_id);
  kept text[];
  delivered int;
  withheld int;
  shown text;
  hint text;
begin
  perform 1 from supply.orders o
  where o.id = (select i.order_id from supply.order_items i where i.id = settle_item.item_id) for no key update;
  select i.* into item from supply.order_items i where i.id = settle_item.item_id for no key update;
  if not found then
    raise exception 'there is no item %', coalesce(item_id::text, 'null') using errcode = 'no_data_found',
      hint = 'ops.stuck_items lists the items that wait for an operator.';
  elsif item.completed_at is not null then
    raise exception 'item % is final already: %', item_id, item.status using errcode = 'object_not_in_prerequisite_state',
      hint = 'A final item stays as it is; ops.adjust corrects the balance where money has to move.';
  elsif item.stuck_at is null and item.held_at is null then
    raise exception 'item % is neither stuck nor held; its supplier is still being asked', item_id
      using errcode = 'object_not_in_prerequisite_state',
      hint = 'Only items of ops.stuck_items are settled by hand. ops.poll_now(item_id) asks the supplier at once.';
  elsif outcome is null or outcome not in ('completed', 'failed') then
    raise exception 'outcome must be completed or failed, not %', outcome using errcode = 'invalid_parameter_value';
  elsif exists (select from unnest(codes) as c where core.is_blank(c) or length(c) > 1000) then
    raise exception 'each code must have 1 to 1000 characters, not all of them blank' using errcode = 'invalid_parameter_value';
  elsif cardinality(codes) <> (select count(distinct c) from unnest(codes) as c) then
    raise exception 'each code may be given only once; of these % some are the same', cardinality(codes)
      using errcode = 'invalid_parameter_value';
  elsif item.delivery_type <> 'key' and cardinality(codes) > 0 then
    raise exception 'item % delivers no keys, so it takes no codes', item_id using errcode = 'invalid_parameter_value';
  end if;

  kept := core.codes_to_deliver(item, outcome, codes);
  delivered := case
    when item.delivery_type = 'key' then cardinality(kept)
    when outcome = 'completed' then item.amount
    else 0
  end;
  if outcome = 'completed' and delivered <> item.amount and had > item.amount then
    raise exception 'item % has % codes for an amount of %: give as codes the % of them that are to be delivered',
      item_id, had, item.amount, item.amount using errcode = 'invalid_parameter_value';
  elsif outcome = 'completed' and delivered <> item.amount then
    raise exception 'item % needs exactly % codes to be completed, counting those it has; it would have %', item_id, item.amount, delivered
      using errcode = 'invalid_parameter_value';
  elsif outcome = 'failed' and delivered >= item.amount then
    raise exception 'item % has % codes for an amount of %: complete it, or fail it with codes => ''{}'' to deliver none of them',
      item_id, delivered, item.amount using errcode = 'invalid_parameter_value';
  end if;

  shown := case when delivered < item.amount then core.buyer_reason(null, settle_item.reason) end;
  if shown is distinct from regexp_replace(trim(settle_item.reason), '\s+', ' ', 'g') then
    raise warning '%', case
        when delivered = item.amount then 'the partner will not see the reason, for everything is delivered'
        when shown is null then 'the partner will not see the reason'
        else format('of the reason the partner will see only: %s', shown) end
      using hint = 'Shown are the sentences in Russian, without an address or what looks like a key, of an item that fails. ops.supplier_attempts keeps all.';
  end if;

  delete from supply.item_keys k where k.item_id = item.id and k.code <> all (kept);
  get diagnostics withheld = row_count;
  perform core.keep_codes(item.id, kept);
  perform core.settle_item(item, delivered, reason => settle_item.reason);
  insert into supply.supplier_attempts (item_id, supplier, method, finished_at, outcome, verdict, reason, codes)
  values (item.id, item.supplier, 'operator', now(), settle_item.outcome, 'settled', settle_item.reason, kept);
  perform core.log_operator('settle_item', 'item ' || item.id,
    jsonb_build_object('outcome', outcome, 'delivered', delivered, 'withheld', withheld, 'amount', item.amount, 'reason', reason));
  perform core.finish_orders(array[item.order_id]);
exception
  when invalid_parameter_value or no_data_found or object_not_in_prerequisite_state or unique_violation or check_violation then
    get stacked diagnostics hint = pg_exception_hint;
    raise exception using errcode = sqlstate, message = sqlerrm, hint = core.hint_for('settle_item', hint);
end
$$;
comment on function ops.settle_item is
  'Settles a stuck or held item by hand: completed or failed. On a key item completed needs exactly its amount of codes, counting those '
  'already kept; of a surplus that was kept, give just those that are to be delivered. failed with fewer delivers those and refunds the '
  'rest, and failed with codes => ''{}'' delivers none. A code that was kept and is not delivered stays in the record of the answer '
  'that held it (supply.supplier_attempts.codes), which no view shows. '
  'The reason is shown to buyers if it is in Russian, at most 300 characters of it, and no sentence with an address or a key; a warning says '
  'if less than the whole of it is shown. '
  'Raises where the item is final, neither stuck nor held, or the codes do not fit or are not distinct.';
