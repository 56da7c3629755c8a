-- Roles: support, finance
create or replace function ops.approve(proposal_id bigint)
returns numeric
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  proposal supply.proposals := core.lock_proposal(proposal_id);
  item supply.order_items;
  adjusted supply.orders;
begin
  -- guard: nobody approves his own proposal, whatever role the session set
  if proposal.proposed_by = session_user then
    raise exception 'proposal % is your own: another login has to approve it', proposal.id
      using errcode = 'insufficient_privilege',
        hint = format('To take it back: select ops.reject(%s, note).', proposal.id);
  end if;
  update supply.proposals p set state = 'approved', decided_by = session_user, decided_at = clock_timestamp()
  where p.id = proposal.id;
  perform core.log_operator('approve', 'proposal ' || proposal.id, jsonb_build_object('what', proposal.what,
    'account_id', proposal.account_id, 'amount', proposal.amount, 'proposed_by', proposal.proposed_by));
  raise notice 'proposal % of % is booked: % of % %, reference %', proposal.id, proposal.proposed_by, proposal.what,
    proposal.amount, proposal.currency, quote_literal(proposal.reference);
  select i.* into item from supply.order_items i where i.id = proposal.item_id;
  select o.* into adjusted from supply.orders o where o.id = proposal.order_id;
  return core.post_once(proposal.what, proposal.account_id, proposal.amount, proposal.reference, proposal.note, item,
    proposal.allow, proposal.id, adjusted);
end
$$;
comment on function ops.approve is
  'Books a proposal of another login, and returns the balance. Its risks are judged again; the words of allow are those
of the proposal. Raises for a proposal of your own, for one that is decided or expired (7 days), and if you may not
call the function that proposed it.';
