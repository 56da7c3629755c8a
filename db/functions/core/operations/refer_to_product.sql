create or replace function core.refer_to_product(reference anycompatible)
returns int
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := lower(core.trim_blanks(reference::text));
  is_number constant boolean := pg_typeof(reference) <> 'text'::regtype;
  named record;
begin
  select coalesce(array_agg(p.id::text order by p.id), '{}') as ids,
    array_agg(format('%s (%s of %s, %s %s)', p.id, p.name, p.slug, p.price, p.currency) order by p.id) as choices
  into named
  from (
    select p.*, g.slug, dense_rank() over (order by match.rank) as place
    from supply.products p
    join supply.games g on g.id = p.game_id
    cross join lateral (select case
      when p.id::text = wanted then 1
      when is_number then null
      when lower(p.name) = wanted then 2
      when length(wanted) >= 2 and strpos(lower(p.name), wanted) > 0 and wanted !~ '^[0-9]+$' then 3
    end as rank) as match
    where match.rank is not null
  ) as p
  where p.place = 1;
  return core.the_one('product', reference::text, named.ids, named.choices);
end
$$;
comment on function core.refer_to_product is
  'Returns the product that a reference means: its number, or, as a text, its name or a part of its name. Raises as
core.the_one.';
