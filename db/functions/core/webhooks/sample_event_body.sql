create or replace function core.sample_event_body(event_id uuid, event_type text, order_code text, at timestamptz)
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select core.render_event(
    event_id => sample_event_body.event_id, event_type => sample_event_body.event_type, at => sample_event_body.at,
    order_code => sample_event_body.order_code, external_order_id => 'sample-order', total_amount => 600.00,
    completed_at => sample_event_body.at, reason => core.buyer_reason('PLAYER_NOT_FOUND', null),
    items => json_build_array(
      core.event_item('Sample top-up', 1, 100.00),
      core.event_item('Sample gift key', 2, 250.00,
        json_build_array(json_build_object('code', 'SAMPLE-KEY-1'), json_build_object('code', 'SAMPLE-KEY-2')))))
$$;
comment on function core.sample_event_body is
  'Returns the JSON body of a simulated event of an order that does not exist: a top-up and two codes, completed or
failed with a reason.';
