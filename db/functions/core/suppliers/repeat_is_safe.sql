create or replace function core.repeat_is_safe(supplier text, sent_at timestamptz, recovered_at timestamptz)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from supply.suppliers s join supply.protocols p on p.name = s.protocol
    where s.code = repeat_is_safe.supplier and (
      p.repeat_safe_for is null
      -- A call that begins now arrives within a minute. The time of a call before a restore is unknown.
      or p.repeat_safe_for > interval '0' and repeat_is_safe.sent_at > now() + interval '1 minute' - p.repeat_safe_for
        and (repeat_is_safe.recovered_at is null or repeat_is_safe.sent_at < repeat_is_safe.recovered_at)))
$$;
comment on function core.repeat_is_safe is
  'Returns whether the supplier''s protocol promises that an item first sent at sent_at may be sent again now, or
within a minute, and stays one order. recovered_at: when a database with the open item was restored. A protocol that
is not in supply.protocols promises nothing.';
