set local role supply_owner;

-- Which events of an account are due, oldest first, and which are being sent, also beside ten thousand others.
create index events_due on supply.events (account_id, next_attempt_at) where state = 'waiting';
create index events_sending on supply.events (account_id) where state = 'sending';
drop index supply.events_open;

reset role;
