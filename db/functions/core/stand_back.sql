create or replace function core.stand_back(account_ids bigint[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  -- So many take a fraction of a second; to take them in smaller parts disturbs the deliveries of others more.
  at_once constant int := 10000;
  account bigint;
begin
  for account in
    select a.id from unnest(account_ids) as a (id) group by a.id having count(*) >= core.delivery_cap() order by a.id
  loop
    perform graphile_worker.reschedule_jobs(
      array(
        select j.id from core.jobs j
        -- By its key alone: with the state in here, the planner may look for each of them among all that wait.
        cross join lateral (select e.account_id, e.state from supply.events e where e.id = j.subject offset 0) as event
        where j.task in ('deliver_webhook', 'deliver_waiting') and j.is_available and j.run_at <= now()
          and event.account_id = account and event.state = 'waiting'
        limit at_once),
      run_at => now() + interval '1 day', priority => core.line_priority());
  end loop;
end
$$;
comment on function core.stand_back is
  'Has a crowd of due deliveries stand in line before any worker takes them: up to 10,000 of each account that is named as often as it may have '
  'deliveries under way. Call it with the accounts of due events for which there was no room.';
revoke all on function core.stand_back from public;
