-- Roles: support, trade, finance
create or replace function ops.order_story(reference text)
returns table (at timestamptz, elapsed interval, actor text, what text, detail text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select h.at, h.elapsed, h.actor, h.what, h.detail from ops.order_history(reference) h
$$;
comment on function ops.order_story is
  'Returns what happened to one order, in order of time, and the next planned step. Takes an order code, external id,
payment code, item id, event id, supplier''s order id, request id or trace id. elapsed: since the placing. Shows no code
and no token. Raises if no order or several have the reference, with what to give instead.';
