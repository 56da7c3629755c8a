create or replace view ops.rate_limits as
select r.network, r.per_minute
from supply.rate_limits r;
comment on view ops.rate_limits is
  'The request budgets that were agreed for networks; the narrowest network that holds an address counts.';
