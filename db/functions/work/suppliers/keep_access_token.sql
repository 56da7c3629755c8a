create or replace function work.keep_access_token(supplier text, renewer uuid, sealed text, valid_seconds int)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.access_tokens t set
    sealed = coalesce(keep_access_token.sealed, t.sealed),
    expires_at = case when keep_access_token.sealed is null then t.expires_at else now() + make_interval(secs => valid_seconds) end,
    -- Who got none leaves the supplier alone for a while, and all others with him.
    renewing_until = case when keep_access_token.sealed is null then now() + interval '5 s' end
  where t.supplier = keep_access_token.supplier and t.renewed_by = renewer and t.renewing_until is not null;
  return found;
end
$$;
comment on function work.keep_access_token is
  'Keeps the access token that renewer has had (work.take_access_token), for all workers and for valid_seconds; null: there was none to be had, and '
  'nobody tries again for 5 s. Returns whether it was still his to keep.';
