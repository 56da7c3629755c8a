create or replace view core.counted_until as
select greatest(max(c.began_at) + interval '5 minutes', now() - interval '1 day') as at
from supply.supplier_call_counts c;
comment on view core.counted_until is 'Until when calls to suppliers are counted in supply.supplier_call_counts.';
comment on column core.counted_until.at is 'The end of the last five minutes that are counted, or a day ago.';
