-- Roles: trade, finance
create or replace function ops.supplier_differences(import_id bigint default null)
returns table (
  kind text, supplier_order_id text, item_id uuid, order_code text, ours text, theirs text, detail text, supplier text,
  line int
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  import constant supply.imports := core.find_import(import_id, 'supplier_statement');
begin
  perform core.require(import.kind = 'supplier_statement', format('import %s is no statement of a supplier but %s',
    import.id, import.kind));
  return query
  select c.kind, c.supplier_order_id, c.item_id, (select o.code from supply.orders o where o.id = c.order_id), c.ours,
    c.theirs, c.detail, c.supplier, c.line
  from core.compare_statement(import.id) as c where c.kind is not null
  order by c.supplier, c.kind, c.line, c.item_id;
end
$$;
comment on function ops.supplier_differences is
  'Returns how a supplier''s statement (null: your latest) differs from our items. kind: only_ours, only_theirs, amount,
currency, status, twice. Our items within an hour of its first and last time are not reported as missing. Wrong lines:
ops.import_lines.';
