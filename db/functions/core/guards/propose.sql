create or replace function core.propose(
  account supply.accounts, what text, amount numeric, reference text, note text, item_id uuid, allow text[],
  order_id bigint default null
)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  rule supply.money_rules;
  since timestamptz;
  earlier numeric;
  proposal_id bigint;
begin
  select m.* into rule from supply.money_rules m
  where m.currency = account.currency and m.approval_above is not null;
  if not found then
    return false;
  end if;
  since := greatest(rule.approval_since, now() - interval '24 hours');
  earlier := (
    select coalesce(sum(abs(l.amount)), 0) from supply.ledger l
    -- guard: sums count by the login of the session, whatever role it set
    where l.account_id = account.id and l.type in ('deposit', 'adjustment') and l.created_by = session_user
      and l.created_at > since
      -- What a login approved is counted for the login that proposed it.
      and not exists (
        select from supply.proposals p
        where p.account_id = l.account_id and p.state = 'approved' and p.plain_reference = l.plain_reference)
  ) + (
    select coalesce(sum(abs(p.amount)), 0) from supply.proposals p
    where p.account_id = account.id and p.proposed_by = session_user and p.proposed_at > since
      and p.state <> 'rejected');
  if abs(amount) + earlier <= rule.approval_above then
    return false;
  end if;
  insert into supply.proposals as p
    (what, account_id, amount, currency, reference, plain_reference, note, item_id, order_id, allow)
  values (propose.what, account.id, propose.amount, account.currency, propose.reference,
    core.plain_reference(propose.reference), propose.note, propose.item_id, propose.order_id,
    coalesce(propose.allow, '{}'))
  returning p.id into proposal_id;
  perform core.log_operator('propose', coalesce('item ' || item_id, 'account ' || account.id), jsonb_build_object(
    'proposal_id', proposal_id, 'what', what, 'amount', amount, 'reference', reference, 'note', note,
    'balance', account.balance));
  raise notice 'account % (%): nothing is booked. % % %needs a second login, because it is above %. It is proposal % '
    'now; another operator books it with: select ops.approve(%)', account.id, account.name, amount, account.currency,
    case when earlier > 0 then format('together with %s of yours within 24 hours ', earlier) else '' end,
    rule.approval_above, proposal_id, proposal_id;
  return true;
end
$$;
comment on function core.propose is
  'Makes a proposal of a booking if its amount, with what the session''s login booked and proposed for the account
within 24 hours and since the approval was set, is above the approval limit. Returns whether it did. The caller holds
the lock of the account.';
