create or replace view core.free_slots as
select s.account_id,
  greatest(0, s.slots - (select count(*) from core.taken_slots t where t.account_id = s.account_id)) as free,
  s.slots >= 8 as is_quick,
  (select true from supply.webhook_secrets w where w.account_id = s.account_id) is not null as is_signable
from supply.delivery_slots s;
comment on view core.free_slots is
  'How many more events of an account may be under way. Whoever gives them out has locked the slots by core.lock_slots in an earlier statement, so '
  'that this one sees what their last holder did.';
comment on column core.free_slots.account_id is 'The account.';
comment on column core.free_slots.free is 'Its slots that are not taken.';
comment on column core.free_slots.is_quick is 'Whether its receiver lost no slot of those that an account begins with.';
comment on column core.free_slots.is_signable is 'Whether it has a secret; without one its first delivery makes that.';
