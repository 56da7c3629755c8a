set local role supply_owner;

-- A reference counts once, however it was typed. Entries of before keep theirs, which may differ in case or blanks alone:
-- they have no plain one, and are found by the second index. Blanks are those of core.trim_blanks.
alter table supply.ledger add column plain_reference text;
comment on column supply.ledger.plain_reference is
  'The reference in the form in which it is compared and unique per account, without case; null in entries from before it was so.';
create unique index ledger_plain_reference on supply.ledger (account_id, plain_reference) where plain_reference is not null;
create index ledger_former_reference on supply.ledger (account_id, lower(btrim(reference, U&'\0009\000a\000b\000c\000d\0020\0085\00a0'
  '\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200a\200b\200c\200d\2028\2029\202f\205f\2060\3000\feff')))
  where reference is not null and plain_reference is null;

-- Last, for it keeps everybody from the items. Without a default it rewrites and reads no row.
alter table supply.order_items add column cost numeric(14,2);
comment on column supply.order_items.cost is
  'What a unit costs at its supplier, in the product''s currency, as the offer said when it went there; null: unknown.';

reset role;
