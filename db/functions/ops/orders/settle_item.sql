-- Roles: support
create or replace function ops.settle_item(
  item_id anycompatible, outcome text, codes text[] default null, reason text default null,
  cards jsonb default null
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant uuid := core.refer_to('item', item_id)::uuid;
  item supply.order_items;
  had int := (select count(*) from supply.item_keys k where k.item_id = wanted_id);
  kept text[];
  delivered int;
  shown text;
  taken text;
  placed supply.orders;
begin
  perform 1 from supply.orders o
  where o.id = (select i.order_id from supply.order_items i where i.id = wanted_id) for no key update;
  select i.* into item from supply.order_items i where i.id = wanted_id for no key update;
  perform core.require(item.completed_at is null, format('item %s is final already: %s', item.id, item.status),
    'object_not_in_prerequisite_state', 'A final item stays as it is. To give money back for a delivered item: '
      'ops.refund_item. A failed item was refunded when it failed.');
  -- guard: an operator settles stuck and held items only
  perform core.require(item.stuck_at is not null or item.held_at is not null or core.is_unsent(item),
    format('item %s is neither stuck nor held; workers ask its supplier', item.id),
      'object_not_in_prerequisite_state',
    'Operators settle only items of ops.stuck_items, and items that no supplier has. ops.poll_now(item_id) asks at '
      'once.');
  perform core.require(outcome in ('completed', 'failed'), format('outcome must be completed or failed, not %s',
    outcome));
  perform core.require(not core.is_blank(reason), 'reason must say how you know that this is the outcome',
    hint => 'Such as reason => ''the supplier sent the code by mail''. Buyers read Russian sentences of it, and only '
      'for items that fail.');
  perform core.require(not exists (
    select from unnest(codes) as c where core.is_blank(c) or length(c) > 1000 or c like 'sealed:%' or c like 'card:{%'),
    'each code must have 1 to 1000 characters, not all of them blank, and must not begin with "sealed:" or "card:{"');
  -- As codes of our own stock are written: else they are not found to be the same.
  codes := case when codes is not null then array(
    select core.trim_blanks(c.code) from unnest(codes) with ordinality as c (code, place) order by c.place) end
    || core.cards_of(cards);
  perform core.require(codes is null or cardinality(codes) = (
      select count(distinct core.code_identity(c)) from unnest(codes) as c),
    format('each code may be given only once; some of these %s are equal', cardinality(codes)));
  perform core.require_no_code('reason', reason, codes);
  perform core.require(item.delivery_type = 'key' or coalesce(cardinality(codes), 0) = 0,
    format('item %s delivers no keys, so it takes no codes', item.id));

  kept := core.codes_to_deliver(item, outcome, codes);
  delivered := case
    when item.delivery_type = 'key' then cardinality(kept)
    when outcome = 'completed' then item.amount
    else 0
  end;
  perform core.require(outcome <> 'completed' or delivered = item.amount or had <= item.amount,
    format('item %s has %s codes for an amount of %s: give as codes the %3$s of them that are to be delivered',
      item.id, had, item.amount));
  perform core.require(outcome <> 'completed' or delivered = item.amount,
    format('item %s needs exactly %s codes to be completed, counting those it has; it would have %s', item.id,
      item.amount, delivered));
  perform core.require(outcome <> 'failed' or delivered < item.amount,
    format('item %s has %s codes for an amount of %s: complete it, or fail it with codes => ''{}'' to deliver none of '
      'them',
      item.id, delivered, item.amount));

  shown := core.buyer_reason(null, settle_item.reason);
  if delivered < item.amount and shown is distinct from regexp_replace(trim(settle_item.reason), '\s+', ' ', 'g') then
    raise warning '%', case when shown is null then 'the partner will not see the reason'
        else format('of the reason the partner will see only: %s', shown) end
      using hint = 'Partners see only Russian sentences without addresses and keys, and only for items that fail. '
        'ops.supplier_attempts keeps the whole reason.';
  end if;

  perform core.log_operator('settle_item', 'item ' || item.id,
    jsonb_build_object('outcome', outcome, 'delivered', delivered, 'withheld', greatest(0, had - delivered), 'amount',
      item.amount, 'reason', reason));
  if codes <> '{}' and exists (select from supply.data_keys) then
    perform core.type_codes(item.id, outcome, codes, reason);
    raise notice 'item %: a worker compares the % codes with those of all other items within seconds, and then settles '
      'it; a code that another item has holds it, with an alert (codes_refused)', item.id, cardinality(codes);
    return;
  end if;
  taken := core.taken_code(kept, by_others_than => item.id);
  perform core.require(taken is null, taken || ': it is not delivered again', 'object_not_in_prerequisite_state',
    'ops.find_code shows who has a code; ops.shared_codes shows the items that share one. Deliver another code, or '
      'fail the item with codes => ''{}''.');
  perform core.settle_by_hand(item, outcome, codes, reason);
  select o.* into placed from supply.orders o where o.id = item.order_id;
  raise notice 'item % is settled: % of % delivered%; order % is %', item.id, delivered, item.amount,
    case when delivered < item.amount then format(', %s %s refunded', (item.amount - delivered) * item.price,
      placed.currency) else '' end,
    placed.code, case when placed.completed_at is null then 'still open' else placed.status end;
end
$$;
comment on function ops.settle_item is
  'Settles a stuck or held item, or one that no supplier has, with a reason; buyers of failed items see its Russian
sentences. completed on a key item needs exactly its amount of codes, or cards ({code, pin, serial, url, expiresAt}),
with those kept. failed with fewer delivers these; codes => ''{}'': none. Raises for wrong codes, or of other items.';
