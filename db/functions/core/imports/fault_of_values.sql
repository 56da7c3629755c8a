create or replace function core.fault_of_values(given jsonb, types jsonb, clearable text[])
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select string_agg(f.fault, '; ' order by v.key)
  from jsonb_each_text(given) as v
  cross join lateral (select case
    when v.value = '<none>' then case when v.key <> all (clearable) then v.key || ' cannot be cleared' end
    when types ->> v.key = 'int' and not (v.value ~ '^[+-]?[0-9]+$' and pg_input_is_valid(v.value, 'int'))
      then format('%s %L is no whole number', v.key, left(v.value, 40))
    when types ->> v.key = 'numeric' and not (v.value ~ '^[+-]?[0-9]+([.][0-9]*)?$' and length(v.value) <= 40)
      then format('%s %L is no number: write %s', v.key, left(v.value, 40), core.plain_number(v.value))
    when types ->> v.key = 'boolean' and not pg_input_is_valid(v.value, 'boolean')
      then format('%s %L must be true or false', v.key, left(v.value, 40))
  end as fault) as f
  where f.fault is not null
$$;
comment on function core.fault_of_values is
  'Returns which values of a line of a list are no int, numeric or boolean, as its types {column: type} say, or are
<none> in a column that cannot be cleared; null: none.';
