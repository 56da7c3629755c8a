create or replace function core.lock_proposal(proposal_id bigint)
returns supply.proposals
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  proposal supply.proposals;
  state text;
begin
  perform core.lock_account(p.account_id) from supply.proposals p where p.id = lock_proposal.proposal_id;
  select p.* into proposal from supply.proposals p where p.id = lock_proposal.proposal_id for update;
  perform core.require(found, format('there is no proposal %s', coalesce(proposal_id::text, 'null')), 'no_data_found',
    'The open ones: select * from ops.proposals where state = ''open''.');
  select d.state into state from core.dated_proposals d where d.id = proposal.id;
  perform core.require(state = 'open',
    format('proposal %s is %s, %s', proposal.id, state, case
      when state = 'expired' then 'because nobody decided it within 7 days'
      else format('by %s on %s', proposal.decided_by, proposal.decided_at::timestamptz(0)) end),
    'object_not_in_prerequisite_state');
  if not exists (
    select from pg_proc f
    where f.pronamespace = 'ops'::regnamespace and f.proname = proposal.what
      -- guard: who may not book it may not decide it
      and has_function_privilege(core.acting_role(), f.oid, 'execute')
  ) then
    raise exception 'proposal % needs a login that may call ops.%', proposal.id, proposal.what
      using errcode = 'insufficient_privilege', hint = 'Ask an operator with another role.';
  end if;
  return proposal;
end
$$;
comment on function core.lock_proposal is
  'Returns an open proposal, locked after its account until the transaction ends. Raises if it is decided or expired,
and if the session may not call the function that proposed it.';
