create or replace function core.is_large_change(before numeric, after numeric)
returns boolean
language sql immutable
return coalesce(abs(is_large_change.after - is_large_change.before) > abs(is_large_change.before) / 2, false);
comment on function core.is_large_change is
  'Returns whether a value differs from the previous one by more than half of that. Null, before or after, is no value
and makes no change.';
