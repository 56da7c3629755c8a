create or replace function api.get_me(account_id bigint, key_id bigint)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select json_build_object(
    'account', json_build_object('id', a.id, 'name', a.name), 'mode', a.mode, 'currency', a.currency,
    'key', json_build_object(
      'prefix', k.prefix, 'last4', k.last4, 'label', k.label, 'expiresAt', core.iso(k.expires_at),
      'allowedOrigins', to_json(k.allowed_origins), 'allowedIps', to_json(k.allowed_ips)),
    'limits', coalesce((
      select json_agg(json_build_object(
        'scope', s.scope, 'per', s.per, 'amount', s.amount, 'spent', s.spent, 'resetsAt', core.iso(s.resets_at))
        order by s.scope = 'account', s.per = 'day')
      from core.spending s
      where s.account_id = a.id and (s.key_id is null or s.key_id = coalesce(k.first_key_id, k.id))), '[]'))
  from supply.accounts a join supply.api_keys k on k.account_id = a.id
  where a.id = get_me.account_id and k.id = get_me.key_id
$$;
comment on function api.get_me is
  'Returns an account and its key as the partner reads them: no secret, and not the whole key. limits:
the spending limits that hold for the key, with what was spent in the present hour or day.';
