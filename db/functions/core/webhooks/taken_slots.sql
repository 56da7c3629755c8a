create or replace view core.taken_slots as
select e.account_id from supply.events e
where e.state in ('ready', 'sending') and (e.state = 'ready' or e.lease_expires_at > now());
comment on view core.taken_slots is
  'A row for each slot that is taken: by a ready event, or by an attempt under way. A lease that ended frees the slot.';
comment on column core.taken_slots.account_id is 'The account.';
