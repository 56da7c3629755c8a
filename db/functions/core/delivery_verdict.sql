create or replace function core.delivery_verdict(status int)
returns text
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select case
    when status between 200 and 299 then 'delivered'
    when status in (408, 429) then 'retry'
    when status between 400 and 499 then 'http_4xx'
    when status between 300 and 399 then 'http_3xx'
    else 'retry'
  end
$$;
comment on function core.delivery_verdict is
  'What a receiver''s HTTP status means: delivered, retry, or the reason of an immediate dead letter. Specification 6.4.';
revoke all on function core.delivery_verdict from public;
