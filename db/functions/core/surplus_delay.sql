create or replace function core.surplus_delay(account_id bigint, place int)
returns interval
language sql volatile set search_path = ''
as $$
  select (0.5 + random()) * least(interval '1 hour', place * interval '250 ms' + greatest(interval '30 s', now() - (
    select min(e.next_attempt_at) from supply.events e
    where e.account_id = surplus_delay.account_id and e.state = 'waiting' and e.next_attempt_at <= now())))
$$;
comment on function core.surplus_delay is
  'In how long to look again at a due event for which its account has no room, if core.next_in_line has not called it before: about as long as '
  'the account''s oldest has been waiting, half a minute to an hour, spread, and 250 ms more for each place behind others.';
revoke all on function core.surplus_delay from public;
