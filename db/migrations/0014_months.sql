set local role supply_owner;

create type supply.month_figures as (
  account_id bigint, partner text, currency text, orders int, sold numeric, refunded numeric, adjusted numeric,
  cost numeric, items_without_cost int, other numeric
);
comment on type supply.month_figures is
  'What was booked for an account in a month, in its currency, and what the items cost that ended in it.';

create table supply.closed_months (
  month text collate "C" primary key check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  zone text not null,
  from_at timestamptz not null,
  to_at timestamptz not null check (to_at > from_at),
  figures supply.month_figures[] not null,
  closed_by text not null default session_user,
  closed_at timestamptz not null default clock_timestamp()
);
comment on table supply.closed_months is
  'The months that finance has closed. A month is one row, so that nobody can add an account to it later.';
comment on column supply.closed_months.month is 'The month, as 2026-11.';
comment on column supply.closed_months.zone is 'The BUSINESS_TIME_ZONE in which it was closed.';
comment on column supply.closed_months.from_at is 'Its first moment.';
comment on column supply.closed_months.to_at is 'The first moment after it.';
comment on column supply.closed_months.figures is 'The rows of ops.month, which nothing changes any more.';
comment on column supply.closed_months.closed_by is 'The database login that closed it.';
comment on column supply.closed_months.closed_at is 'When it was closed.';
create trigger append_only before update or delete on supply.closed_months
  for each row execute function supply.refuse_change();
create trigger append_only_truncate before truncate on supply.closed_months
  for each statement execute function supply.refuse_change();

reset role;
