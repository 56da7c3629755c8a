-- Roles: support, trade, finance
create or replace function ops.audit_all()
returns table (check_name text, detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
  -- It reads whole tables, for which hash joins are made.
  set enable_nestloop = off
as $$
begin
  perform set_config('supply.audit_all', 'on', true);
  return query
  select a.check_name, a.detail from ops.audit a
  union all
  select m.check_name, m.detail from core.changed_months m
  union all
  select 'ledger_follows_its_hashes', format(
    'ledger row %s of account %s is not the one that was booked on %s, or the row before it is not: its hash is %s…, '
    'and not %s…', l.seq, l.account_id, l.created_at::timestamptz(0), left(encode(l.made, 'hex'), 12),
    left(encode(l.hash, 'hex'), 12))
  from (
    select l.*, core.entry_hash(lag(l.hash) over (partition by l.account_id order by l.seq), l) as made
    from supply.ledger l
  ) as l
  where l.made <> l.hash;
  perform set_config('supply.audit_all', '', true);
end
$$;
comment on function ops.audit_all is
  'Checks all orders at once, as ops.audit checks a part of them, closed months, and the hashes of the whole ledger. It
takes up to a minute per million orders; for more than a million set a longer statement_timeout. No row while all is
well.';
