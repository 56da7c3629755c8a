set local role supply_owner;

-- Which events hold a slot, and which wait for one, is a state; before, a job of tomorrow and a priority told it.
create table supply.delivery_slots (
  account_id bigint primary key references supply.accounts,
  slots int not null default 8 check (slots between 2 and 64)
) with (fillfactor = 50);
comment on table supply.delivery_slots is
  'How many deliveries of an account may be under way. Its row is locked by whoever gives slots to events.';
comment on column supply.delivery_slots.account_id is 'The account.';
comment on column supply.delivery_slots.slots is
  'One more with each attempt that was answered quickly, half as many with each time-out or failed connection.';

alter table supply.events
  drop constraint events_state_check,
  drop constraint events_check1,
  drop constraint events_check2;

-- What is due has no job until it gets a slot. A job that a worker has already ends by itself.
select graphile_worker.complete_jobs(array(
  select j.id from supply.events e
  join graphile_worker._private_jobs j on j.key = 'deliver_webhook:' || e.id
  where e.state = 'waiting' and e.next_attempt_at <= now() and j.locked_at is null));
update supply.events set state = 'queued' where state = 'waiting' and next_attempt_at <= now();
insert into supply.delivery_slots (account_id)
select distinct e.account_id from supply.events e where e.state in ('waiting', 'queued', 'sending');

alter table supply.events
  alter column state set default 'queued',
  add constraint events_state_check check (state in ('waiting', 'queued', 'ready', 'sending', 'delivered', 'dead')),
  add constraint events_planned_check check ((state in ('waiting', 'queued', 'ready')) = (next_attempt_at is not null)),
  add constraint events_lease_check check ((state in ('ready', 'sending')) = (claim_expires_at is not null));

drop index supply.events_due;
drop index supply.events_sending;
create index events_rungs on supply.events (next_attempt_at) where state = 'waiting';
create index events_queued on supply.events (account_id, next_attempt_at, id) where state = 'queued';
create index events_holding on supply.events (account_id) where state in ('ready', 'sending');
-- An attempt is written twice, and the second time no index has to know.
alter table supply.delivery_attempts set (fillfactor = 70);

comment on column supply.events.state is
  'waiting (for a rung), queued (due, without a slot), ready (has a slot and a job), sending, delivered, dead.';
comment on column supply.events.next_attempt_at is 'When the next attempt is due, or was, while waiting, queued or ready.';
comment on column supply.events.claim_expires_at is
  'While sending, until when the attempt may take; while ready, until when a worker should have claimed it.';

reset role;
