create or replace view ops.money_rules as
select m.currency, m.amount_limit, m.approval_above, m.approval_since
from supply.money_rules m where m.amount_limit is not null or m.approval_above is not null;
comment on view ops.money_rules is
  'The owner''s rules for what operators book: ops.set_amount_limit, ops.set_approval. No row for a currency: no rule.';
