create or replace function core.require_price(price numeric, currency text)
returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(core.is_money(price, currency),
    format('price must be above 0, at most 100000000000, with at most %s decimals', core.decimals(currency)));
end
$$;
comment on function core.require_price is 'Raises unless price is a valid price in the currency.';
