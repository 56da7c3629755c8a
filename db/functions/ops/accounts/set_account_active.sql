create or replace function ops.set_account_active(account_id bigint, active boolean)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.lock_account(account_id);
  perform core.require(active is not null, 'active must be true or false');
  update supply.accounts a set active = set_account_active.active where a.id = set_account_active.account_id;
  perform core.log_operator('set_account_active', 'account ' || account_id, jsonb_build_object('active', active));
end
$$;
comment on function ops.set_account_active is
  'Opens or closes an account. The API keys of a closed one get 401; its orders continue, and its events are delivered. '
  'Specification 5.';
