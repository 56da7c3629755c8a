-- Views of ops call it.
create or replace function core.merged_message(kind supply.alert_kind, messages text[])
returns text
language sql immutable
return case when kind = 'sold_twice' then left(array_to_string(messages, '; '), 4000) else messages[1] end;
comment on function core.merged_message is
  'Returns the message of an alert that happened several times: the first, but of codes that were sold twice all, which
name other orders.';
