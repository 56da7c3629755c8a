-- Roles: operator
create or replace function ops.confirm_origin()
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.record_origin();
  perform core.log_operator('confirm_origin', 'database ' || current_database());
  raise notice 'workers may run on this database now';
end
$$;
comment on function ops.confirm_origin is
  'Lets workers run on a database that was moved or upgraded while nothing ran, and so has another origin than they
know; also lets them call suppliers again after a failover that lost orders or calls. Where anything may have been sent
that the database does not know, use ops.begin_recovery.';
