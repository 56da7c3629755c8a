create or replace function core.check_allow(allow text[])
returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  words constant text[] := enum_range(null::supply.risk_word)::text[];
begin
  perform core.require(not exists (select from unnest(allow) as a (word) where a.word <> all (words) or a.word is null),
    format('allow has an unknown word: %s', (
      select string_agg(coalesce(a.word, 'null'), ', ') from unnest(allow) as a (word)
      where a.word <> all (words) or a.word is null)),
    hint => format('Its words are %s.', array_to_string(words, ', ')));
end
$$;
comment on function core.check_allow is
  'Raises if the words by which an operator confirms risks (null: none) are not all known.';
