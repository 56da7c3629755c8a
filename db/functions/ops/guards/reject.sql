-- Roles: support, finance
create or replace function ops.reject(proposal_id bigint, note text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  proposal supply.proposals := core.lock_proposal(proposal_id);
begin
  perform core.require(length(core.trim_blanks(note)) between 1 and 1000, 'note must say why, in 1 to 1000 characters');
  update supply.proposals p set
    state = 'rejected', decided_by = session_user, decided_at = clock_timestamp(), decision_note = reject.note
  where p.id = proposal.id;
  perform core.log_operator('reject', 'proposal ' || proposal.id, jsonb_build_object('what', proposal.what,
    'account_id', proposal.account_id, 'amount', proposal.amount, 'proposed_by', proposal.proposed_by, 'note', note));
  raise notice 'proposal % of % is rejected: % of % % is not booked', proposal.id, proposal.proposed_by, proposal.what,
    proposal.amount, proposal.currency;
end
$$;
comment on function ops.reject is
  'Ends a proposal without booking it; also one of your own. note: why. Raises for one that is decided or expired.';
