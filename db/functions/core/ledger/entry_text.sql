-- Views of ops call it.
create or replace function core.entry_text(entry supply.ledger)
returns text
language sql stable
return json_build_array(entry.account_id, entry.seq, entry.type, entry.amount, entry.balance_after, entry.currency,
  entry.order_id, entry.item_id, entry.reference, entry.note, entry.created_by,
  to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  entry.adjusted_order_id)::text;
comment on function core.entry_text is
  'Returns a ledger row as the text over which its hash is made: a JSON array of its columns.';
