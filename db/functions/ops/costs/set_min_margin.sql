create or replace function ops.set_min_margin(min_margin numeric, product_id int default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids int[];
  were_offered int[];
begin
  perform core.require(
    coalesce(set_min_margin.min_margin between -1 and 1 and round(set_min_margin.min_margin, 4) = set_min_margin.min_margin, true),
    'min_margin must be from -1 to 1, with at most 4 decimals, as 0.05 for 5 per cent; null: no rule of its own');
  perform core.require(set_min_margin.product_id is null or exists (select from supply.products p where p.id = set_min_margin.product_id),
    format('there is no product %s', product_id), 'no_data_found', 'ops.products lists the products.');
  product_ids := array(
    select p.id from supply.products p
    where case when set_min_margin.product_id is null then p.min_margin is null else p.id = set_min_margin.product_id end);
  were_offered := core.lock_offered(product_ids);
  if set_min_margin.product_id is null then
    update supply.offer_rules r set min_margin = set_min_margin.min_margin where r.min_margin is distinct from set_min_margin.min_margin;
  else
    update supply.products p set min_margin = set_min_margin.min_margin
    where p.id = set_min_margin.product_id and p.min_margin is distinct from set_min_margin.min_margin;
  end if;
  if found then
    perform core.log_operator('set_min_margin', coalesce('product ' || product_id, 'all products'), jsonb_build_object('min_margin', min_margin));
  end if;
  perform core.note_offered(product_ids, were_offered);
end
$$;
comment on function ops.set_min_margin is
  'Which part of the price has to remain at least after the cost, as 0.05 for 5 per cent, for one product, or, without product_id, for all that have no rule of their own; offers '
  'that leave less are not used for new items. -1 accepts a cost of up to twice the price. null: the product follows the rule for all; for all: there is none. '
  'Where a rule holds, an offer whose cost is not known is not used.';
