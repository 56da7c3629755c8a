create or replace function api.touch_api_keys(key_ids bigint[])
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  update supply.api_keys k set last_used_at = now()
  from (
    select t.id from supply.api_keys t
    where t.id = any (key_ids) and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
    order by t.id for no key update skip locked
  ) used
  where k.id = used.id
$$;
comment on function api.touch_api_keys is
  'Records that API keys were used, at most once a minute for each. A key that another transaction has locked is left
out.';
