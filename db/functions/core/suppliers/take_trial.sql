create or replace function core.take_trial(supplier text)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from supply.suppliers s
  where s.code = take_trial.supplier and s.open_since is not null and s.trial_at <= now() for no key update skip locked;
  if not found then
    return false;
  end if;
  update supply.suppliers s set trial_at = now() + interval '1 minute' where s.code = take_trial.supplier;
  return true;
end
$$;
comment on function core.take_trial is
  'Whether an item may try a supplier whose circuit is open: one a minute may.';
