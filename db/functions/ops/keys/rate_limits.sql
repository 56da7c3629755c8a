create or replace view ops.rate_limits as
select r.network, r.per_minute
from supply.rate_limits r;
comment on view ops.rate_limits is
  'The request budgets of networks. The narrowest network that contains an address counts.';
