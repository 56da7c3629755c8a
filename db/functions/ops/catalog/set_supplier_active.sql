-- Roles: trade
create or replace function ops.set_supplier_active(code text, active boolean, dry_run boolean default false)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers := core.lock_supplier(code);
  product_ids int[];
  were_offered supply.product_floor[];
  changed bigint;
begin
  perform core.require(active is not null, 'active must be true or false');
  perform core.require(dry_run is not null, 'dry_run must be true or false');
  if known.active = set_supplier_active.active then
    raise notice 'supplier % is already %: nothing changed', known.code, case when active then 'open' else 'closed' end;
    return;
  end if;
  product_ids := array(select o.product_id from supply.offers o where o.supplier = known.code);
  begin
    -- The products are locked first: otherwise two suppliers that close at once would each see the other open.
    were_offered := core.lock_offered(product_ids);
    update supply.suppliers s set active = set_supplier_active.active, updated_at = now() where s.code = known.code;
    changed := core.note_offered(product_ids, were_offered);
    if dry_run then
      -- The handler below catches it, which takes the changes of this block back; the counted number stays.
      raise exception 'dry run' using errcode = 'DRYRN';
    end if;
    perform core.log_operator('set_supplier_active', 'supplier ' || known.code, jsonb_build_object('active', active,
      'before', known.active));
  exception when sqlstate 'DRYRN' then null;
  end;
  raise notice '%supplier % is %',
    case when dry_run then 'dry run, nothing changed; without dry_run: ' else '' end, known.code, case
    when active then format('open: %s products have a usable offer again', changed)
    else format('closed: %s products lost their last usable offer, and are out of stock', changed)
  end;
end
$$;
comment on function ops.set_supplier_active is
  'Opens or closes a supplier for new items. Items that it already has are still polled. Products that only a closed
supplier offers are shown as out of stock; a notice counts them. dry_run: only the notice, nothing changes.';
