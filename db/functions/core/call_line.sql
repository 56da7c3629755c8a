create or replace function core.call_line(account_ids bigint[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  account bigint;
  under_way int;
  ready int;
  in_line uuid[];
  called uuid[] := '{}';
begin
  for account in select distinct a.id from unnest(account_ids) as a (id) order by a.id loop
    under_way := core.deliveries_under_way(account);
    select count(*) filter (where head.is_ready),
      coalesce(array_agg(head.id order by head.next_attempt_at, head.id) filter (where not head.is_ready), '{}')
    into ready, in_line
    from (
      select e.id, e.next_attempt_at, j.is_ready from supply.events e
      cross join lateral (
        select j.locked_at is not null or j.run_at <= now() as is_ready, j.priority from core.jobs j
        where j.key = 'deliver_webhook:' || e.id offset 0
      ) as j
      where e.account_id = account and e.state = 'waiting' and e.next_attempt_at <= now()
        -- A job that failed waits by itself; it holds up nobody.
        and (j.is_ready or j.priority = core.line_priority())
      order by e.next_attempt_at limit 2 * core.delivery_cap()
    ) as head;
    called := called || in_line[1 : core.delivery_cap() - under_way - ready];
  end loop;
  perform core.deliver_later(called);
end
$$;
comment on function core.call_line is
  'Has as many of each account''s events that stand in line delivered now, the oldest first, as there is room for beside those that are under '
  'way or about to be. Call it with the accounts of attempts that ended, whose deliveries are locked; to call it once more does no harm.';
revoke all on function core.call_line from public;
