create or replace function api.list_results(account_id bigint, key_id bigint, after bigint, page_limit int, awaits boolean default false)
returns table (count int, last_seq bigint, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  page record;
begin
  if not core.api_key_is_valid(key_id, account_id) then
    return;
  end if;
  select p.* into page from core.results_page(account_id, after, page_limit) p;
  if awaits and page.count = 0 and page.last_seq >= after and not exists (
    select from supply.result_marks m
    where m.account_id = list_results.account_id and m.awaited_until > now() + interval '1 minute'
  ) then
    if cardinality(core.lock_result_marks(array[account_id])) > 0 then
      update supply.result_marks m set awaited_until = now() + interval '5 minutes' where m.account_id = list_results.account_id;
    end if;
    -- Whoever ended an order meanwhile did not know that it is waited for.
    select p.* into page from core.results_page(account_id, after, page_limit) p;
  end if;
  return query select page.count, page.last_seq, page.body;
end
$$;
comment on function api.list_results is
  'Returns the account''s final orders after a number of its sequence, the oldest first, how many these are, and its last number;
no row if the key does not work. awaits: where there are none, the next ones are notified for some minutes on the channel
order_results, with the account''s number. A notification can be lost, so the caller also polls. Specification 4.';
