create or replace view core.taken_slots as
select e.account_id, e.host, octet_length(e.body) as bytes from supply.events e
where e.state = 'ready' or e.state = 'sending' and e.lease_expires_at > now();
comment on view core.taken_slots is
  'A row for each slot that is taken: by a ready event, or by an attempt under way. A lease that ended frees the slot.';
comment on column core.taken_slots.host is 'Where the event goes.';
comment on column core.taken_slots.bytes is 'How long the body of the event is.';
