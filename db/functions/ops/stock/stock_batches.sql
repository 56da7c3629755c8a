create or replace view ops.stock_batches as
select b.name as batch, b.supplier, b.sku, b.loaded_at, b.loaded_by, c.codes, c.free, c.sold, c.withdrawn, c.cost
from supply.stock_batches b
cross join lateral (
  select count(*)::int as codes, count(*) filter (where core.is_sellable(k))::int as free,
    count(*) filter (where k.state = 'sold')::int as sold,
    count(*) filter (where k.state = 'withdrawn')::int as withdrawn, round(avg(k.cost), 2)::numeric(14, 2) as cost
  from supply.stock_codes k where k.batch_id = b.id) as c;
comment on view ops.stock_batches is 'What operators loaded into our own stock. No code is shown.';
comment on column ops.stock_batches.batch is 'Its name, or number, for ops.withdraw_codes.';
comment on column ops.stock_batches.loaded_by is 'The login that loaded them.';
comment on column ops.stock_batches.codes is 'How many codes it has.';
comment on column ops.stock_batches.free is 'How many of them can be sold now.';
comment on column ops.stock_batches.sold is 'How many of them were sold.';
comment on column ops.stock_batches.withdrawn is 'How many of them an operator withdrew.';
comment on column ops.stock_batches.cost is
  'What a code of it cost on average, in the currency of the offer; null: as the offer says.';
