set local role supply_owner;

alter table supply.data_keys
  add column closed_at timestamptz,
  add column retired_at timestamptz check (retired_at >= closed_at);
comment on table supply.data_keys is
  'The keys of DATA_KEYS under which texts of this database may be sealed. A process without one of them that is not '
  'retired does not start.';
comment on column supply.data_keys.closed_at is
  'From then on no text that is sealed under the key is stored; null: texts are.';
comment on column supply.data_keys.retired_at is
  'When no text was sealed under it any more: processes start without it. The row stays, so that it is not used again.';

reset role;
