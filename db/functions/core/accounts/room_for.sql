create or replace function core.room_for(
  account_id bigint, key_id bigint, total numeric, out room numeric, out exceeded supply.exceeded_limit
)
language sql stable strict set search_path = pg_catalog, pg_temp
as $$
  select min(s.amount - s.spent), (array_agg(
      row(s.scope, s.per, s.amount, s.spent, s.resets_at)::supply.exceeded_limit
      order by s.scope = 'account', s.per = 'day')
    filter (where room_for.total > s.amount - s.spent))[1]
  from core.spending s where s.account_id = room_for.account_id and (s.key_id is null or s.key_id = room_for.key_id)
$$;
comment on function core.room_for is
  'Returns what the spending limits of an account and of a key''s line leave, null without any, and the first of them
that an order of this total would exceed.';
