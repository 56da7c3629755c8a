create or replace view ops.proposals as
select p.id as proposal_id, p.what, p.account_id, p.amount, p.currency, p.reference, p.note, p.proposed_by,
  p.proposed_at, d.state, p.decided_by, p.decided_at, p.decision_note, p.item_id, p.allow, o.code as order_code
from supply.proposals p join core.dated_proposals d on d.id = p.id left join supply.orders o on o.id = p.order_id;
comment on view ops.proposals is
  'Bookings above the approval limit, which another login books with ops.approve or ends with ops.reject.';
comment on column ops.proposals.proposal_id is 'A running number.';
comment on column ops.proposals.order_code is 'The order that an adjustment is about; null: none.';
