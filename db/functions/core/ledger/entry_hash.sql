create or replace function core.entry_hash(previous bytea, entry supply.ledger)
returns bytea
language sql stable
return sha256(convert_to(coalesce(encode(previous, 'hex'), '') || core.entry_text(entry), 'UTF8'));
comment on function core.entry_hash is
  'Returns the hash of a ledger row: SHA-256 over the hash of the row before it of that account, in hexadecimal (empty
for the first), and its own text (core.entry_text).';
