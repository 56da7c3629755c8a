-- Roles: support, trade, finance
create or replace function ops.partner_orders(account anycompatible, "limit" int default 20)
returns table (
  order_code text, external_order_id text, status text, outcome text, total_amount numeric, refunded_amount numeric,
  currency text, items text, created_at timestamptz, took interval, webhook text
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('account', account)::bigint;
begin
  perform core.require("limit" between 1 and 1000, 'limit must be 1 to 1000');
  return query
  select o.code, o.external_order_id, o.status, o.outcome, o.total_amount,
    o.refunded_amount, o.currency,
    (select string_agg(format('%s × %s', i.amount, i.product_name), ', ' order by i.position, i.part)
     from supply.order_items i where i.order_id = o.id),
    o.created_at, o.completed_at - o.created_at,
    coalesce((select e.state from ops.events e where e.order_code = o.code and not e.simulated),
      case when o.callback_url is null then 'no callback URL' when o.completed_at is null then 'not yet'
        else 'none: partial' end)
  from (
    select o.* from supply.orders o where o.account_id = wanted_id
    order by o.created_at desc, o.id desc limit partner_orders."limit"
  ) as o
  order by o.created_at desc, o.id desc;
end
$$;
comment on function ops.partner_orders is
  'Returns the latest orders of a partner, newest first, at most limit (1 to 1000): the items, the amounts in the
order''s currency, how long each took, and the state of its webhook. Raises for an unknown account.';
