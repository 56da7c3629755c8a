create or replace function api.list_orders(
  account_id bigint, page_limit int, after_code text default null, page int default null, status text default null,
  external_order_id text default null, created_from timestamptz default null, created_to timestamptz default null
)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  before_id bigint;
  total bigint;
  ids bigint[];
  has_more boolean;
begin
  if after_code is not null then
    before_id := core.own_order(account_id, after_code);
    if before_id is null then
      return null;
    end if;
  end if;

  select array(
    select o.id from supply.orders o
    where o.account_id = list_orders.account_id
      and (before_id is null or o.id < before_id)
      and (list_orders.status is null or o.status = list_orders.status)
      and (list_orders.external_order_id is null or o.external_order_id = list_orders.external_order_id)
      and (created_from is null or o.created_at >= created_from)
      and (created_to is null or o.created_at <= created_to)
    order by o.id desc
    limit page_limit + 1 offset (coalesce(page, 1) - 1)::bigint * page_limit
  ) into ids;
  has_more := cardinality(ids) > page_limit;
  ids := ids[1:page_limit];

  if page is not null then
    select count(*) into total from supply.orders o
    where o.account_id = list_orders.account_id
      and (list_orders.status is null or o.status = list_orders.status)
      and (list_orders.external_order_id is null or o.external_order_id = list_orders.external_order_id)
      and (created_from is null or o.created_at >= created_from)
      and (created_to is null or o.created_at <= created_to);
  end if;

  return json_build_object(
    'orders', (select coalesce(json_agg(core.order_json(id, false) order by id desc), '[]') from unnest(ids) as id),
    'pagination', json_strip_nulls(json_build_object('limit', page_limit, 'total', total))::jsonb || jsonb_build_object(
      'nextCursor', case when has_more then (select o.code from supply.orders o where o.id = ids[page_limit]) end,
      'hasMore', has_more)
  );
end
$$;
comment on function api.list_orders is
  'The account''s orders, newest first, without keys. after_code is a nextCursor; the page number (from 1) adds the total. '
  'Null if after_code is no order of the account.';
