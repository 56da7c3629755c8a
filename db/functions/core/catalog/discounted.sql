-- Views of ops call it.
create or replace function core.discounted(price numeric, discount numeric, currency text)
returns numeric
language sql immutable
return
  case
    when coalesce(discounted.discount, 0) = 0 then discounted.price
    when core.decimals(discounted.currency) = 0
      then greatest(round(discounted.price * (1 - discounted.discount)), 1)::numeric(14, 2)
    else greatest(round(discounted.price * (1 - discounted.discount), 2), 0.01)
  end;
comment on function core.discounted is
  'Returns a price less a discount (null: none), rounded half up to the decimals of the currency, at least its smallest
unit.';
