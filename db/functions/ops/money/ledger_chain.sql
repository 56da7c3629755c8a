create or replace view ops.ledger_chain as
select l.account_id, l.seq, json_build_array(l.account_id, l.seq, l.type, l.amount, l.balance_after, l.currency,
    l.order_id, l.item_id, l.reference, l.note, l.created_by,
    to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), l.adjusted_order_id)::text as entry,
  encode(l.hash, 'hex') as hash
from supply.ledger l;
comment on view ops.ledger_chain is
  'The ledger with the hash of each row: SHA-256 over the hash of the row before it of that account and the entry. An
export is verified without the database: docs/operations/verify_ledger.py.';
comment on column ops.ledger_chain.entry is
  'The row as a JSON array: account, seq, type, amount, balance after it, currency, order id, item, reference, note, '
  'login, time, and the order that an adjustment is about.';
comment on column ops.ledger_chain.hash is 'The hash, in hexadecimal.';
