-- Roles: support
create or replace function ops.reroute_all(supplier text, dry_run boolean default true)
returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
  offer core.active_offers;
  moved uuid[] := '{}';
  targets text[] := '{}';
  stay bigint := 0;
  sent bigint;
begin
  perform core.require(exists (select from supply.suppliers s where s.code = reroute_all.supplier),
    format('there is no supplier %L', supplier), 'no_data_found', 'ops.suppliers lists the suppliers.');
  perform core.require(dry_run is not null, 'dry_run must be true or false');
  perform core.end_when_idle();
  for item in
    select i.* from supply.order_items i
    where i.completed_at is null and i.supplier = reroute_all.supplier and core.is_unsent(i)
    order by i.order_id, i.position, i.part for no key update skip locked
  loop
    offer := core.next_offer(item, must_serve => true);
    if offer.supplier is null then
      stay := stay + 1;
      continue;
    end if;
    moved := moved || item.id;
    targets := targets || offer.supplier;
    if not dry_run then
      perform core.move_item(item, offer);
    end if;
  end loop;
  sent := (
    select count(*) from supply.order_items i
    where i.completed_at is null and i.supplier = reroute_all.supplier and not core.is_unsent(i));
  if not dry_run then
    -- They get their places one after the other: as jobs they would delay all other suppliers.
    perform core.limit_items(moved);
    perform core.fill_places(targets);
    perform core.log_operator('reroute_all', 'supplier ' || supplier, jsonb_build_object(
      'items', cardinality(moved), 'stay', stay, 'sent', sent));
  end if;
  raise notice '%', concat(
    case when dry_run then 'dry run: ' end,
    format('supplier %s: %s items %s to other suppliers', supplier, cardinality(moved),
      case when dry_run then 'would go' else 'go' end), (
      select ' (' || string_agg(t.code || ' ' || t.items, ', ' order by t.code) || ')'
      from (select u.code, count(*) as items from unnest(targets) as u (code) group by u.code) as t),
    format('; %s stay, as no other supplier can serve them; %s that it may have stay there', stay, sent),
    case when dry_run then '; to move them add dry_run => false' end);
  return cardinality(moved);
end
$$;
comment on function ops.reroute_all is
  'Moves all items of a supplier that were certainly not sent to it to the next suppliers that can serve them, and
returns how many. A dry run (the default) only counts. Items that the supplier may have stay there. Specification 7.';
