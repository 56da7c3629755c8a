create or replace function core.refer_to_order(reference text)
returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  found_ids bigint[] := array(select distinct f.order_id from core.find_orders(reference) f order by f.order_id desc);
  choices text;
begin
  if cardinality(found_ids) = 1 then
    return found_ids[1];
  elsif cardinality(found_ids) = 0 then
    raise exception 'no order has the reference %', coalesce(quote_literal(reference), 'null') using
      errcode = 'no_data_found',
      hint = 'Give a whole order code, external id, payment code, item id, event id, supplier''s order id, request id '
        'or trace id; '
        'ops.find(text) looks for everything else.';
  end if;
  select string_agg(format('%s (account %s, %s, placed %s)', o.code, o.account_id, o.status,
    date_trunc('second', o.created_at)), '; ' order by o.id desc)
  into choices
  from supply.orders o where o.id = any (found_ids[1:5]);
  raise exception 'the reference % may be one of % orders', quote_literal(reference), cardinality(found_ids) using
    errcode = 'cardinality_violation',
    hint = format('Give the code of one of them: %s%s.', choices,
      case when cardinality(found_ids) > 5 then format('; and older ones, which ops.find(%L) lists', reference)
        else '' end);
end
$$;
comment on function core.refer_to_order is
  'The one order that a reference (core.find_orders) is of. Raises no_data_found if there is none, and
cardinality_violation, with the codes to choose from as a hint, if there are several.';
