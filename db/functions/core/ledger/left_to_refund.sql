create or replace function core.left_to_refund(item supply.order_items)
returns numeric
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (item).price * (item).amount - (item).refunded_amount - (
    select coalesce(sum(l.amount), 0) from supply.ledger l where l.item_id = (item).id and l.type = 'adjustment');
end
$$;
comment on function core.left_to_refund is
  'Returns the part of an item''s price times its amount (account currency) that neither its failure nor an operator
refunded.';
