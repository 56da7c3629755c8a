create or replace view ops.spending_limits as
select s.account_id, a.name as partner, s.key_id, s.per, s.amount, s.spent, a.currency, s.resets_at
from core.spending s join supply.accounts a on a.id = s.account_id;
comment on view ops.spending_limits is
  'The limits of what partners may spend in an hour or a day (UTC), with what they spent in the present one.';
comment on column ops.spending_limits.key_id is
  'The first of the keys that the limit holds for: it and those that replace it; null: all of the account.';
comment on column ops.spending_limits.account_id is 'The account number.';
comment on column ops.spending_limits.partner is 'The name of the account.';
comment on column ops.spending_limits.amount is 'What may be spent in each.';
comment on column ops.spending_limits.spent is 'What was spent in the present one; refunds give nothing back.';
comment on column ops.spending_limits.currency is 'The currency of the amounts.';
comment on column ops.spending_limits.resets_at is 'When the next hour or day begins.';
