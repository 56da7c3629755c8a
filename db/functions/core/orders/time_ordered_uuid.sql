create or replace function core.time_ordered_uuid()
returns uuid
language sql volatile parallel safe
return (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
  || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid;
comment on function core.time_ordered_uuid is
  'A new UUID that begins with the time in milliseconds (version 7, RFC 9562), with 74 random bits: what is written together stands together in an '
  'index, so that a large one is written at its end instead of all over. Not for codes of orders, which hold no sequence. Specification 2.3.';
