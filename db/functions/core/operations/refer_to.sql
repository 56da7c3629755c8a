create or replace function core.refer_to(kind text, reference anycompatible)
returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := core.trim_blanks(core.text_of(reference));
  number constant bigint := substring(wanted from '^[1-9][0-9]{0,17}$');
  -- A mistyped number must not match a name that contains the number.
  is_id constant boolean := pg_typeof(reference) <> 'text'::regtype;
  -- A whole API key must not be shown.
  shown constant text := case when wanted like 'svc\_%' then left(wanted, 8) || '…' else left(wanted, 100) end;
  ids text[];
  choices text[];
begin
  -- A number needs no search, which costs a hundred times as much.
  if kind = 'account' and exists (select from supply.accounts a where a.id = number)
    or kind = 'product' and exists (select from supply.products p where p.id = number)
  then
    return number;
  end if;
  select coalesce(array_agg(f.id), '{}'), array_agg(format('%s (%s)', f.id, f.detail)) into ids, choices
  from (
    select n.*, dense_rank() over (order by n.rank) as place
    from core.find_named(kind, wanted) n where n.rank < 9 and (n.id = wanted or not is_id)) as f
  where f.place = 1;
  if cardinality(ids) = 1 then
    return ids[1];
  end if;
  perform core.require(cardinality(ids) > 0,
    format(case when is_id or wanted is null or wanted ~ '^[0-9]+$' or core.uuid_of(wanted) is not null
      then 'there is no %s %s' else 'no %s is named %L' end, kind, coalesce(shown, 'null')),
    'no_data_found',
    format('select * from ops.%s lists them; %s.',
      case kind when 'key' then 'api_keys' when 'item' then 'order_items' else kind || 's' end,
      case when exists (
        select from unnest(array['account', 'product', 'key', 'order']) as k
        cross join lateral core.find_named(k, wanted) as f)
        then format('select * from ops.find(%L) lists what the text may mean', shown)
        else format('ops.find(%L) finds nothing else either', coalesce(shown, '…')) end));
  raise exception '% may be one of % %s', quote_literal(shown), cardinality(ids), kind using
    errcode = 'cardinality_violation', hint = format('Give one of these instead: %s%s.',
      array_to_string(choices[1:5], '; '),
      case when cardinality(ids) > 5 then format('; ops.find(%L) lists more', shown) else '' end);
end
$$;
comment on function core.refer_to is
  'Returns the id (of an order its code) of the only account, product, key, order, item or event that a reference means
(core.find_named). Raises no_data_found if there is none. Raises cardinality_violation if there are several; the hint
lists them.';
