create or replace function core.simulation_refusal(account_id bigint, out refusal text, out retry_after int)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  most_open constant int := 100;
  most_a_minute constant int := 60;
  recent int;
  oldest timestamptz;
begin
  select count(*), min(s.created_at) into recent, oldest from (
    select o.created_at from supply.simulated_orders o
    where o.account_id = simulation_refusal.account_id and o.created_at > now() - interval '1 minute'
    order by o.created_at desc limit most_a_minute) as s;
  if recent = most_a_minute then
    refusal := 'too_many_a_minute';
    retry_after := core.seconds_left(oldest + interval '1 minute');
  elsif (
    select count(*) from (
      select from supply.simulated_orders o where o.account_id = simulation_refusal.account_id and o.due_at is not null
      limit most_open) as open) = most_open
  then
    refusal := 'too_many_open';
    retry_after := 60;
  else
    -- Each ends in an event, which is a sample.
    select s.refusal, s.retry_after into refusal, retry_after from core.sample_refusal(simulation_refusal.account_id) s;
    refusal := 'samples_' || refusal;
  end if;
end
$$;
comment on function core.simulation_refusal is
  'Returns why the account may not place a simulated order now, and the seconds to wait: too_many_a_minute (60 in 60
s), too_many_open (100), or samples_ and the refusal of core.sample_refusal; null: it may. The caller holds the lock
of the account''s simulated orders.';
