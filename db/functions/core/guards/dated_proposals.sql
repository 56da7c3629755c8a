create or replace view core.dated_proposals as
select p.id, p.account_id, p.what, p.amount, p.currency, p.reference, p.plain_reference, p.proposed_by,
  case when p.state = 'open' and p.proposed_at < now() - interval '7 days' then 'expired' else p.state end as state
from supply.proposals p;
comment on view core.dated_proposals is 'All proposals, with their state now: an open one is expired after 7 days.';
