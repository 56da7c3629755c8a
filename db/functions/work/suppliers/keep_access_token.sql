create or replace function work.keep_access_token(supplier text, renewer uuid, sealed text, valid_seconds int)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.access_tokens t set
    sealed = coalesce(keep_access_token.sealed, t.sealed),
    expires_at = case when keep_access_token.sealed is null then t.expires_at
      else now() + make_interval(secs => valid_seconds) end,
    -- After a failure no worker asks the supplier for a while.
    renewing_until = case when keep_access_token.sealed is null then now() + interval '5 s' end
  where t.supplier = keep_access_token.supplier and t.renewed_by = renewer and t.renewing_until is not null;
  return found;
end
$$;
comment on function work.keep_access_token is
  'Stores the access token of the renewer (work.take_access_token) for all workers, for valid_seconds. Null: it got
none, and nobody tries again for 5 s. Returns false if another renewer has taken over.';
