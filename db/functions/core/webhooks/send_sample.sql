create or replace function core.send_sample(
  account_id bigint, callback_url text, event_type text, order_code text,
  out event_id uuid, out refusal text, out retry_after int
)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  max_bytes constant int := 65536;
  id uuid := gen_random_uuid();
  code text := coalesce(order_code, 'sample_' || replace(id::text, '-', ''));
  body text;
begin
  select r.refusal, r.retry_after into refusal, retry_after from core.sample_refusal(send_sample.account_id) r;
  if refusal is null then
    select e.body into body
    from core.order_events(array[core.own_order(send_sample.account_id, send_sample.order_code)], id) e
    where e.event_type = send_sample.event_type;
    body := coalesce(body, core.render_event(
      event_id => id, event_type => event_type, order_code => code, external_order_id => 'sample-order',
      total_amount => 600.00, completed_at => now(), reason => core.buyer_reason('PLAYER_NOT_FOUND', null),
      items => json_build_array(
        core.event_item('Sample top-up', 1, 100.00),
        core.event_item('Sample gift key', 2, 250.00,
          json_build_array(json_build_object('code', 'SAMPLE-KEY-1'), json_build_object('code', 'SAMPLE-KEY-2'))))));
    if octet_length(body) > max_bytes then
      refusal := 'too_large';
    end if;
  end if;

  if refusal is null then
    insert into supply.events (id, account_id, order_code, event_type, callback_url, simulated, body)
    values (id, account_id, code, event_type, callback_url, true, body);
    perform core.count_hits('samples', array[account_id::text], '{1}', '{60}');
    perform core.enqueue_deliveries(array[id]);
    event_id := id;
  end if;
end
$$;
comment on function core.send_sample is
  'Sends a sample event to a callback URL as real events are sent. Returns its event id; or too_large, or what
core.sample_refusal returns. With the code of an order of the account in that status it is the event of that order,
under a new id; else of an order that does not exist: a top-up and two codes.';
