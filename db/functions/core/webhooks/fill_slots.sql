create or replace function core.fill_slots(account_ids bigint[], to_claim uuid[] default '{}', to_deliver int default 0)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
declare
  filled record;
begin
  if cardinality(account_ids) = 0 then
    return '{}';
  end if;
  with oldest as materialized (
    select q.id, s.slots
    from supply.delivery_slots s
    cross join lateral (
      select e.id from supply.events e
      where e.account_id = s.account_id and e.state = 'queued'
      order by e.next_attempt_at, e.id
      limit greatest(0, s.slots - (select count(*) from core.taken_slots t where t.account_id = s.account_id))
      -- Who holds the lock of an event calls this function, too.
      for no key update skip locked
    ) as q
    where s.account_id = any (account_ids)
  ), made_ready as (
    update supply.events e set state = 'ready', claim_expires_at = now() + interval '10 s'
    from oldest o where e.id = o.id
    returning e.id, e.attempts = 0 and e.ladder = 1 and o.slots >= 8 as is_fresh
  )
  select
    coalesce(array_agg(f.id) filter (where f.is_claimed), '{}') as claimed,
    coalesce(array_agg(f.id) filter (where f.is_fresh and not f.is_claimed), '{}') as fresh,
    coalesce(array_agg(f.id) filter (where not f.is_fresh and not f.is_claimed), '{}') as waiting
  into filled from (
    select m.*, m.id = any (to_claim) or m.is_fresh and row_number() over (partition by m.is_fresh) <= to_deliver as is_claimed from made_ready m) as f;
  perform core.enqueue('deliver_webhook', filled.fresh, key => 'deliver_webhook');
  -- Retries, and events of slow receivers, may take long. They have workers of their own.
  perform core.enqueue('deliver_waiting', filled.waiting, key => 'deliver_webhook');
  return filled.claimed;
end
$$;
comment on function core.fill_slots is
  'Gives the free slots of accounts to the oldest of their queued events, and adds their jobs. Events of to_claim get no job: they are returned, '
  'for the caller to claim, and with them as many first attempts to quick receivers as to_deliver says. The caller has locked the slots by core.lock_slots in an earlier statement, so that this one sees what their last holder did.';
