create or replace function core.sample_refusal(account_id bigint, out refusal text, out retry_after int)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  max_open constant int := 100;
  sent record;
begin
  -- Not the account's row: many samples must not delay orders.
  select c.* into sent from core.count_hits('samples', array[account_id::text], '{0}', '{60}') c;
  if sent.hits >= 60 then
    refusal := 'too_many_a_minute';
    retry_after := core.seconds_left(sent.ends_at);
  elsif (select count(*) from (
    select from supply.events e
    where e.account_id = sample_refusal.account_id and e.simulated and e.delivered_at is null and e.dead_at is null
    limit max_open) as open) = max_open then
    refusal := 'too_many_open';
    retry_after := 60;
  end if;
end
$$;
comment on function core.sample_refusal is
  'Returns why the account may not send a sample now, and the seconds to wait: too_many_a_minute (60 in 60 s),
too_many_open (100 neither delivered nor dead); null: it may. Locks the account''s samples until the transaction ends,
so that the counts are exact. What is sent is counted by core.count_hits.';
