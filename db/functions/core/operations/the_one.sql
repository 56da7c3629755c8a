create or replace function core.the_one(what text, reference text, ids text[], choices text[])
returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(ids) = 1 then
    return ids[1];
  elsif cardinality(ids) = 0 then
    raise exception 'no % is named %', what, coalesce(quote_literal(reference), 'null') using
      errcode = 'no_data_found', hint = format('ops.find(%L) lists everything that this text may mean.', coalesce(reference, ''));
  end if;
  raise exception '% may be one of % %s', quote_literal(reference), cardinality(ids), what using
    errcode = 'cardinality_violation', hint = format('Give one of these instead: %s%s.', array_to_string(choices[1:5], '; '),
      case when cardinality(ids) > 5 then format('; ops.find(%L) lists more', reference) else '' end);
end
$$;
comment on function core.the_one is
  'Returns the one id that a reference means. Raises no_data_found where there is none, and cardinality_violation where there are
several, with the choices, one for each id, as a hint. what: item, event, key or account.';
