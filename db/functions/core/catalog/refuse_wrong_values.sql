create or replace function core.refuse_wrong_values(entries jsonb, what text, id text, types jsonb)
returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  wrong record;
begin
  select n.place, n.entry ->> refuse_wrong_values.id as id, t.key as member, n.entry ->> t.key as value,
    case t.value when 'int' then 'an integer' when 'numeric' then 'a number' else 'true or false' end as wanted
  into wrong
  from jsonb_array_elements(entries) with ordinality as n (entry, place)
  cross join jsonb_each_text(types) as t
  where not pg_input_is_valid(n.entry ->> t.key, t.value)
  order by n.place, t.key limit 1;
  perform core.require(wrong.place is null, format('%s %s of the catalog (%s %s): %s must be %s, not %L', what,
    wrong.place, refuse_wrong_values.id, coalesce(wrong.id, 'missing'), wrong.member, wrong.wanted,
    left(wrong.value, 100)));
end
$$;
comment on function core.refuse_wrong_values is
  'Raises for the first value of entries of a catalog that has not the type (types: {member: int, numeric or boolean}),
with the place of the entry, from 1, and its member id. An absent member is no value.';
