set local role supply_owner;

alter table supply.api_keys
  add column label text,
  add constraint api_keys_label_check check (length(label) between 1 and 100) not valid;
alter table supply.api_keys validate constraint api_keys_label_check;
comment on column supply.api_keys.label is 'What operators call the key, such as who has it; null: nothing.';

reset role;
