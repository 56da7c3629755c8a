create or replace view core.broken_chain as
select 'ledger_follows_its_hashes' as check_name, format(
  'ledger row %s of account %s is not the one that was booked on %s, or the row before it is not: its hash is %s…, and '
  'not %s…', l.seq, l.account_id, l.created_at::timestamptz(0), left(encode(l.made, 'hex'), 12),
  left(encode(l.hash, 'hex'), 12)) as detail
from (
  select l.account_id, l.seq, l.created_at, l.hash,
    core.entry_hash(lag(l.hash) over (partition by l.account_id order by l.seq), l) as made
  from supply.ledger l
) as l
where l.made <> l.hash;
comment on view core.broken_chain is
  'The ledger rows that are not as they were booked, by their hash and that of the row before them, for ops.audit_all.';
