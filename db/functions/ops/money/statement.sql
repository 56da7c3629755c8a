-- Roles: finance
create or replace function ops.statement(
  account_id anycompatible, from_at timestamptz default null, to_at timestamptz default null
)
returns table (
  at timestamptz, seq bigint, type text, amount numeric, balance numeric, order_code text, external_order_id text,
  reference text, note text, currency text
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts := (
    select a from supply.accounts a where a.id = core.refer_to('account', statement.account_id)::bigint);
  -- A period is a range of seq, so that its balances and its rows agree: the last row before it, and its last row.
  opening supply.ledger;
  closing supply.ledger;
begin
  perform core.require(coalesce(from_at <= to_at, true), 'from_at must not be after to_at');
  select l.* into opening from supply.ledger l
  where l.account_id = account.id and l.created_at < coalesce(from_at, '-infinity')
  order by l.created_at desc, l.seq desc limit 1;
  if to_at is null then
    select l.* into closing from supply.ledger l where l.account_id = account.id order by l.seq desc limit 1;
  else
    select l.* into closing from supply.ledger l where l.account_id = account.id and l.created_at < to_at
    order by l.created_at desc, l.seq desc limit 1;
  end if;

  return query
  select coalesce(from_at, account.created_at), null::bigint, 'opening_balance', null::numeric,
    coalesce(opening.balance_after, 0.00),
    null::text, null::text, null::text, null::text, account.currency;
  return query
  select l.created_at, l.seq, l.type, l.amount, l.balance_after, o.code, o.external_order_id,
    l.reference, l.note, l.currency
  from supply.ledger l
  left join supply.orders o on o.id = coalesce(l.order_id, l.adjusted_order_id)
  where l.account_id = account.id and l.seq > coalesce(opening.seq, 0) and l.seq <= coalesce(closing.seq, 0)
  order by l.seq;
  return query
  select coalesce(to_at, greatest(now(), closing.created_at)), null::bigint, 'closing_balance', null::numeric,
    coalesce(closing.balance_after, 0.00), null::text, null::text, null::text, null::text, account.currency;
end
$$;
comment on function ops.statement(anycompatible, timestamptz, timestamptz) is
  'As ops.statement(account, month), for a period (null: from the account''s beginning, until now).';

create or replace function ops.statement(account anycompatible, month text)
returns table (
  at timestamptz, seq bigint, type text, amount numeric, balance numeric, order_code text, external_order_id text,
  reference text, note text, currency text, zone text
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  months record;
begin
  zone := core.business_zone();
  if month is null or month ~ '^[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}' then
    return query
    select s.*, statement.zone
    from ops.statement(account, month::timestamp at time zone statement.zone, null) s;
    return;
  end if;
  select m.* into months from core.business_month(month) m;
  zone := months.zone;
  return query
  with lines as (select s.* from ops.statement(account, months.from_at, months.to_at) s)
  select l.*, statement.zone from lines l
  union all
  select months.to_at, null, 'summary', coalesce(sum(l.amount), 0.00), null, null, null, null,
    format('%s orders: charges %s, refunds %s; deposits %s, adjustments %s',
      count(*) filter (where l.type = 'order_charge'),
      coalesce(sum(l.amount) filter (where l.type = 'order_charge'), 0.00),
      coalesce(sum(l.amount) filter (where l.type = 'order_refund'), 0.00),
      coalesce(sum(l.amount) filter (where l.type = 'deposit'), 0.00),
      coalesce(sum(l.amount) filter (where l.type = 'adjustment'), 0.00)),
    max(l.currency), statement.zone
  from lines l;
end
$$;
comment on function ops.statement(anycompatible, text) is
  'Returns the movements of an account''s balance in a month (''2026-11''; null: all), oldest first. opening_balance
and closing_balance have no amount. A month ends with summary: the sum, and a note with the sums by kind. Raises for an
unknown account or month. zone: where months begin (BUSINESS_TIME_ZONE). With two moments: from_at, to_at.';
