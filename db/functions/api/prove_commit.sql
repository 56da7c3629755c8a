create or replace function api.prove_commit()
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not pg_is_in_recovery() then
    -- A message changes no row and takes no lock, but its commit waits for all that the commit of an order waits for.
    perform pg_logical_emit_message(true, 'supply', ''::text);
  end if;
end
$$;
comment on function api.prove_commit is
  'Returns once the database has committed a write to its disk, and to a synchronous standby if there is one. Does
nothing on a standby.';
