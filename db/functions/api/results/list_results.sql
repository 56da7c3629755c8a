create or replace function api.list_results(account_id bigint, key_id bigint, after bigint, page_limit int)
returns table (count int, last_seq bigint, body json)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select least(cardinality(page.rows), page_limit), mark.last_seq, json_build_object(
    'results', (
      select coalesce(json_agg(json_build_object(
        'seq', r.seq, 'orderCode', o.code, 'externalOrderId', o.external_order_id, 'status', o.status,
        'outcome', o.outcome, 'totalAmount', o.total_amount, 'refundedAmount', o.refunded_amount,
        'currency', o.currency, 'completedAt', core.iso(o.completed_at), 'items', (
          select coalesce(json_agg(json_build_object(
            'id', i.id, 'productId', i.product_id, 'productName', i.product_name, 'amount', i.amount,
            'price', i.price, 'status', i.status, 'refundedAmount', i.refunded_amount, 'errorCode', i.error_code)
            order by i.position, i.part), '[]')
          from supply.order_items i where i.order_id = o.id)) order by r.seq), '[]')
      from unnest(page.rows[1:page_limit]) as r
      cross join lateral (select o.* from supply.orders o where o.id = r.order_id offset 0) as o),
    'nextAfter', coalesce(page.rows[least(cardinality(page.rows), page_limit)].seq, least(after, mark.last_seq)),
    'lastSeq', mark.last_seq,
    'hasMore', cardinality(page.rows) > page_limit)
  from (select array(
    select r from supply.order_results r
    where r.account_id = list_results.account_id and r.seq > after
    order by r.seq limit page_limit + 1) as rows) as page
  cross join (
    select m.last_seq from supply.result_marks m where m.account_id = list_results.account_id) as mark
  where core.api_key_is_valid(key_id, account_id)
$$;
comment on function api.list_results is
  'Returns the account''s final orders after a number, oldest first, with their items but no codes, how many these are,
and its last number. Reads one snapshot, so that a page has no gap. No row: the key does not work. Specification 4.';
