create or replace function core.the_one(what text, reference text, ids text[], choices text[])
returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  -- A whole API key must not be shown.
  shown constant text := case when reference ~ '^\s*svc_' then left(btrim(reference), 8) || '…'
    else left(reference, 100) end;
begin
  if cardinality(ids) = 1 then
    return ids[1];
  elsif cardinality(ids) = 0 then
    raise exception using errcode = 'no_data_found',
      message = case
        when reference is null or reference ~ '^[0-9]+$' or core.uuid_of(reference) is not null
          then format('there is no %s %s', what, coalesce(shown, 'null'))
        else format('no %s is named %L', what, shown)
      end,
      hint = format('select * from ops.%s lists them; select * from ops.find(%L) lists what a text may mean.',
        case what when 'key' then 'api_keys' when 'item' then 'order_items' else what || 's' end, coalesce(shown, '…'));
  end if;
  raise exception '% may be one of % %s', quote_literal(shown), cardinality(ids), what using
    errcode = 'cardinality_violation', hint = format('Give one of these instead: %s%s.',
      array_to_string(choices[1:5], '; '),
      case when cardinality(ids) > 5 then format('; ops.find(%L) lists more', shown) else '' end);
end
$$;
comment on function core.the_one is
  'Returns the one id that a reference means. Raises no_data_found where there is none, and cardinality_violation
where there are several, with the choices, one for each id, as a hint. what: item, event, key, account or product.
Shows no whole key.';
