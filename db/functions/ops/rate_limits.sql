create or replace view ops.rate_limits as
select
  r.network,
  r.per_minute
from supply.rate_limits r;
comment on view ops.rate_limits is
  'The request budgets that were agreed for networks; the narrowest that holds an address counts.';
comment on column ops.rate_limits.network is 'The network.';
comment on column ops.rate_limits.per_minute is 'Requests per window of 60 s for each client in it.';
revoke all on ops.rate_limits from public;
grant select on ops.rate_limits to supply_operator;
