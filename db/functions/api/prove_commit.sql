create or replace function api.prove_commit()
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not pg_is_in_recovery() then
    -- In the log alone: it changes no row and holds no lock, and yet its commit waits for all that an order's waits for.
    perform pg_logical_emit_message(true, 'supply', ''::text);
  end if;
end
$$;
comment on function api.prove_commit is
  'Answers once the database has committed a write: on its disk, and on the synchronous standby where there is one. Does nothing on a standby.';
