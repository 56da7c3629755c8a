create or replace view core.delivery_limits as
select 524288 as bytes_per_account, 65536 as large_bytes;
comment on view core.delivery_limits is
  'How much may be under way: one row. A view, because views of operators read it.';
comment on column core.delivery_limits.bytes_per_account is
  'How many bytes of bodies an account may have under way before its next event waits.';
comment on column core.delivery_limits.large_bytes is
  'A body that is longer is large: it has a job, and a worker has few of them under way.';
