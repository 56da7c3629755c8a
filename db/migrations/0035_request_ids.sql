set local role supply_owner;

-- Without a constraint: the API checks what it keeps, and placing an order is not to pay for a second look.
alter table supply.orders
  add column request_id text,
  add column request_id_given boolean,
  add column traceparent text;
comment on column supply.orders.request_id is
  'The X-Request-Id of the request that placed it, under which the logs of all processes have its way; null: placed before it was kept.';
comment on column supply.orders.request_id_given is 'Whether the partner chose the request_id; else the API did. Null where there is none.';
comment on column supply.orders.traceparent is
  'The W3C trace context of the request that placed it, in version 00: its trace id, and the span that calls and deliveries belong to; null: none.';

-- Operators look for one order by either. Orders of before stand in neither, and those without a trace not in the second.
create index orders_request_id on supply.orders (request_id) where request_id is not null;
create index orders_trace on supply.orders (substr(traceparent, 4, 32)) where traceparent is not null;

reset role;
