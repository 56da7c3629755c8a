create or replace function core.next_in_line(account_ids bigint[])
returns void
language plpgsql set search_path = ''
as $$
declare
  called uuid[];
begin
  select coalesce(array_agg(waiting.id order by waiting.id), '{}') into called
  from (select a.id, count(*) as places from unnest(account_ids) as a (id) group by a.id) as account
  cross join lateral (
    select e.id from supply.events e
    where e.account_id = account.id and e.state = 'waiting' and e.next_attempt_at <= now()
      and exists (
        select from core.jobs j where j.key = 'deliver_webhook:' || e.id and j.locked_at is null and j.run_at > now())
    order by e.next_attempt_at
    limit account.places
  ) as waiting;
  perform core.enqueue('deliver_webhook', called, array_fill(now(), array[cardinality(called)]), true, priority => 1);
end
$$;
comment on function core.next_in_line is
  'For each of the accounts, as often as it is named, has the oldest due event that stands in line delivered now: call it with the accounts of '
  'attempts that ended.';
revoke all on function core.next_in_line from public;
