-- Roles: trade
create or replace function ops.upsert_offer(
  product_id anycompatible, supplier text, sku text, cost numeric default null, priority int default null,
  currency text default null, recipient text default null, allow text[] default '{}'
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product constant supply.products := core.lock_product(product_id);
  were_offered constant supply.product_floor[] := core.lock_offered(array[product.id]);
  losses constant supply.loss[] := core.losses(array[product.id]);
  of_list constant text[] := array['synced_at', 'stock', 'problem', 'available'];
  before supply.offers;
  after supply.offers;
  risks supply.risk[];
begin
  perform core.check_allow(allow);
  select o.* into before from supply.offers o
  where o.product_id = product.id and o.supplier = upsert_offer.supplier for no key update;
  after := core.changed_offer(before, product, supplier, sku, coalesce(cost, before.cost),
    coalesce(priority, before.priority, 100), coalesce(currency, before.currency), recipient);
  risks := core.risks_of_offers(array[after]);
  if core.write_offers(array[after], were_offered, 'upsert_offer') = 0 then
    raise notice 'supplier % offers product % with these values already: nothing changed', supplier, product.id;
    return;
  end if;
  perform core.refuse_risks(risks || core.risks_of_losses(losses, core.losses(array[product.id])), allow);
  raise notice 'supplier % offers product % (%) as %, priority %, at %', supplier, product.id, product.name, sku,
    after.priority, concat(
      case when after.cost is null then 'a cost that is not known' else 'a cost of ' || after.cost || ' ' end,
      case when after.cost is not null then coalesce(after.currency, product.currency) end,
      case when before.supplier is not null then format(' (changed: %s)', core.changed_columns(
        to_jsonb(before) - of_list, to_jsonb(after) - of_list)) end,
      (select '; it is not used: ' || o.unusable from ops.offers o
      where o.product_id = product.id and o.supplier = upsert_offer.supplier));
end
$$;
comment on function ops.upsert_offer is
  'Creates or changes a supplier''s offer: sku, cost of a unit in currency (at first the product''s; its list replaces
both), priority (at first 100: the smallest is first, then the cheapest), recipient (whom to deliver to, as
{userId}{zone}; '''': none). Null keeps. Items under way keep theirs. allow: below_cost, large_change.';
