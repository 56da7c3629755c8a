create or replace function api.simulate_webhook(
  account_id bigint, callback_url text, event_type text, order_code text default null
)
returns table (event_id uuid, refusal text, retry_after int)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  most_bytes constant int := 65536;
  id uuid := gen_random_uuid();
  code text := coalesce(order_code, 'sample_' || replace(id::text, '-', ''));
  own_order_id bigint;
  body text;
begin
  select r.refusal, r.retry_after into refusal, retry_after from core.sample_refusal(simulate_webhook.account_id) r;
  if refusal is null then
    select o.id into own_order_id from supply.orders o
    where o.id = core.own_order(simulate_webhook.account_id, simulate_webhook.order_code) and o.outcome <> 'partial'
      and simulate_webhook.event_type = 'order.' || o.status;
    body := case when own_order_id is null then core.sample_event_body(id, event_type, code, now())
      else core.event_body(id, event_type, own_order_id, now()) end;
    if octet_length(body) > most_bytes then
      refusal := 'too_large';
    end if;
  end if;

  if refusal is null then
    insert into supply.events (id, account_id, order_code, event_type, callback_url, simulated, body)
    values (id, account_id, code, event_type, callback_url, true, body);
    perform core.enqueue_deliveries(array[id]);
    event_id := id;
  end if;
  return next;
end
$$;
comment on function api.simulate_webhook is
  'Sends a sample event to a checked callback URL as real events are sent. Returns its event id, or why not: too_many_a_minute or '
  'too_many_open, with the seconds after which to ask again, or too_large (a body of more than 65,536 bytes). '
  'With the code of an own order of that status it is that order''s event, under a new id; with any other code, or none, it '
  'holds sample data. Touches no balance and no supplier, and raises no alert.
nullable: event_id, refusal, retry_after';
