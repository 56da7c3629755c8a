-- Roles: trade
create or replace function ops.set_min_margin(min_margin numeric, product_id int default null,
  dry_run boolean default false)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids int[];
  were_offered supply.product_floor[];
  before numeric;
  changed bigint;
  rule text;
begin
  perform core.require(
    coalesce(set_min_margin.min_margin between -1 and 1
      and round(set_min_margin.min_margin, 4) = set_min_margin.min_margin, true),
    'min_margin must be from -1 to 1, with at most 4 decimals, as 0.05 for 5 per cent; null: no rule of its own');
  perform core.require(dry_run is not null, 'dry_run must be true or false');
  if product_id is null then
    select r.min_margin into before from supply.offer_rules r for no key update;
    product_ids := array(select p.id from supply.products p where p.min_margin is null);
  else
    product_ids := array[product_id];
    before := (core.lock_product(product_id)).min_margin;
  end if;
  rule := 'the minimum margin of '
    || coalesce('product ' || product_id, 'all products without one of their own');
  if before is not distinct from min_margin then
    raise notice '% is already %: nothing changed', rule, coalesce(min_margin::text, 'not set');
    return;
  end if;
  begin
    were_offered := core.lock_offered(product_ids);
    if product_id is null then
      update supply.offer_rules r set min_margin = set_min_margin.min_margin;
    else
      update supply.products p set min_margin = set_min_margin.min_margin where p.id = set_min_margin.product_id;
    end if;
    changed := core.note_offered(product_ids, were_offered);
    if dry_run then
      -- The handler below catches it, which takes the changes of this block back; the counted number stays.
      raise exception 'dry run' using errcode = 'DRYRN';
    end if;
    perform core.log_operator('set_min_margin', coalesce('product ' || product_id, 'all products'),
      jsonb_build_object('min_margin', min_margin, 'before', before));
  exception when sqlstate 'DRYRN' then null;
  end;
  raise notice '%: % → %; products that went out of stock, or came back: %',
    case when dry_run then 'dry run, nothing changed; without dry_run: ' else '' end || rule,
    coalesce(before::text, 'not set'), coalesce(min_margin::text, 'not set'), changed;
end
$$;
comment on function ops.set_min_margin is
  'Sets the part of the price that must remain after the cost, as 0.05 for 5 per cent. New items do not use other
offers, or offers of unknown cost. Without product_id: of all products without their own. -1 accepts twice the price;
null removes the rule. A notice counts the changed products; dry_run: nothing changes.';
