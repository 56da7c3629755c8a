create or replace function core.last_redelivery(event_id uuid)
returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select max(r.requested_at) from supply.redelivery_requests r
    where r.event_id = last_redelivery.event_id and r.key_id is not null
      and r.requested_at between clock_timestamp() - interval '1 minute' and clock_timestamp() + interval '1 s');
end
$$;
comment on function core.last_redelivery is
  'Returns when its partner last asked for the event again, if that was within a minute: it may not be sent again yet.';
