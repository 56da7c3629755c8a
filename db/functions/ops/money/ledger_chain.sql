create or replace view ops.ledger_chain as
select l.account_id, l.seq, core.entry_text(l) as entry, encode(l.hash, 'hex') as hash
from supply.ledger l;
comment on view ops.ledger_chain is
  'The ledger with the hash of each row: SHA-256 over the hash of the row before it of that account and the entry. An
export is verified without the database: docs/operations/verify_ledger.py.';
comment on column ops.ledger_chain.entry is
  'The row as a JSON array: account, seq, type, amount, balance after it, currency, order id, item, reference, note, '
  'login, time, and the order that an adjustment is about.';
comment on column ops.ledger_chain.hash is 'The hash, in hexadecimal.';
