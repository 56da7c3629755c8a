-- Views of ops call it.
create or replace function core.is_sellable(code supply.stock_codes)
returns boolean
language sql stable
return code.state = 'free' and code.sell_before > now();
comment on function core.is_sellable is
  'Says whether a code of our own can be sold now. Inlined, so that the index of free codes serves.';
