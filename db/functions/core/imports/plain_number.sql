create or replace function core.plain_number(given text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case
    when text ~ '^-?[0-9]+([.][0-9]+)?$' then text
    -- 1,234 can be either: in a list of costs and prices, three digits after a comma are thousands.
    when text ~ '^-?(0,[0-9]+|[0-9]+,([0-9]{1,2}|[0-9]{4,}))$' then replace(text, ',', '.')
    when text ~ '^-?[0-9]{1,3}([.][0-9]{3})+,[0-9]+$' then replace(replace(text, '.', ''), ',', '.')
    when text ~ '^-?[0-9]{1,3}(,[0-9]{3})+([.][0-9]+)?$' then replace(text, ',', '')
    else 'it as 1234.56'
  end
  from (select left(translate(given, U&' ''\00a0\2009\202f\2019', ''), 40) as text) as plain
$$;
comment on function core.plain_number is
  'Returns a number that was written with a decimal comma or with separators of thousands as it has to be written.';
