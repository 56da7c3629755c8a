create or replace function core.next_month(month text, months int)
returns text
language sql immutable
return to_char((next_month.month || '-01')::date + make_interval(months => next_month.months), 'YYYY-MM');
comment on function core.next_month is 'Returns the month (''2026-11'') that is so many months later.';
