create or replace function core.simulation_refusal(account_id bigint, out refusal text, out retry_after int)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  max_open constant int := 100;
  placed record;
begin
  select c.* into placed from core.count_hits('simulated orders', array[account_id::text], '{0}', '{60}') c;
  if placed.hits >= 60 then
    refusal := 'too_many_a_minute';
    retry_after := core.seconds_left(placed.ends_at);
  elsif (
    select count(*) from (
      select from supply.simulated_orders o where o.account_id = simulation_refusal.account_id and o.due_at is not null
      limit max_open) as open) = max_open
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
s), too_many_open (100), or samples_ and the refusal of core.sample_refusal; null: it may. Locks the account''s
simulated orders until the transaction ends. What is placed is counted by core.count_hits.';
