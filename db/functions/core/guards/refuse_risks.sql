create or replace function core.refuse_risks(
  risks supply.risk[], allow text[], way text default 'call it again'
)
returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  refused record;
begin
  select string_agg(format('%s: %s%s', r.word, array_to_string(r.figures[1:3], '; '),
      case when r.count > 3 then format('; and %s more', r.count - 3) end), E'\n' order by r.word) as text,
    array_agg(r.word::text order by r.word) as words
  into refused
  from (
    select n.word, array_agg(n.figures order by n.place) as figures, count(*) as count
    from unnest(risks) with ordinality as n (word, figures, place)
    where n.word::text <> all (coalesce(allow, '{}')) group by n.word
  ) as r;
  perform core.require(refused.words is null, refused.text, hint => format(
    'Nothing changed. If these figures are right, %s with allow => %L.', way,
    array(select unnest(allow) union select unnest(refused.words) order by 1)));
end
$$;
comment on function core.refuse_risks is
  'Raises invalid_parameter_value for risks of a change whose words are not in allow: each word with the figures of its
first three risks, and how many more there are. way: how to confirm them, for the hint.';
