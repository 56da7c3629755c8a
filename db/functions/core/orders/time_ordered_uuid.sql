create or replace function core.time_ordered_uuid()
returns uuid
language sql volatile parallel safe
return (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
  || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid;
comment on function core.time_ordered_uuid is
  'Returns a new UUID that begins with the time in milliseconds (version 7, RFC 9562), so that indexes grow at their
end. Not for codes of orders, which hold no sequence. Specification 2.3.';
