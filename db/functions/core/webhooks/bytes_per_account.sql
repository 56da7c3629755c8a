create or replace function core.bytes_per_account()
returns int
language sql immutable
return 2097152;
comment on function core.bytes_per_account is
  'Returns how many bytes of bodies an account may have under way before its next event waits: 2 MiB, about 10,000 codes.';
