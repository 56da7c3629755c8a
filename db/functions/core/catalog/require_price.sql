create or replace function core.require_price(price numeric, currency text)
returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(core.is_money(price, currency), core.price_rule(currency));
end
$$;
comment on function core.require_price is 'Raises unless price is a valid price in the currency.';
