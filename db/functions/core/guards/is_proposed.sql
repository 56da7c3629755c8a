create or replace function core.is_proposed(
  account supply.accounts, what text, amount numeric, reference text, item_id uuid, order_id bigint
)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  proposal supply.proposals;
begin
  update supply.proposals p set state = 'expired'
  where p.account_id = account.id and p.state = 'open' and exists (
    select from core.dated_proposals d where d.id = p.id and d.state = 'expired');
  select p.* into proposal from supply.proposals p
  where p.account_id = account.id and p.state = 'open'
    and p.plain_reference = core.plain_reference(is_proposed.reference);
  if not found then
    return false;
  end if;
  perform core.require((proposal.what, proposal.amount, proposal.item_id, proposal.order_id)
      is not distinct from (is_proposed.what, is_proposed.amount, is_proposed.item_id, is_proposed.order_id),
    format('reference %L of account %s (%s) is taken already by proposal %s: %s proposed %s %s (%s) on %s', reference,
      account.id, account.name, proposal.id, proposal.proposed_by, proposal.amount, proposal.currency, proposal.what,
      proposal.proposed_at::timestamptz(0)),
    'unique_violation', format('If it is wrong: select ops.reject(%s, note).', proposal.id));
  raise notice 'account % (%): % % under this reference is proposal % of %, which waits for approval: nothing changed',
    account.id, account.name, proposal.amount, proposal.currency, proposal.id, proposal.proposed_by;
  return true;
end
$$;
comment on function core.is_proposed is
  'Returns whether the same booking waits for approval, and says so. Raises unique_violation if its reference is that of
another open proposal of the account. The caller holds the lock of the account.';
