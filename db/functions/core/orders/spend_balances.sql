create or replace function core.spend_balances(judged jsonb[])
returns jsonb[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  answers jsonb[] := '{}';
  taken jsonb;
  request jsonb;
  account_id bigint;
  balance numeric;
begin
  if exists (
    select from (
      select (j ->> 'accountId')::bigint as account_id, sum((j ->> 'total')::numeric) over (partition by j -> 'accountId') as total,
        count(*) over (partition by j -> 'accountId', j -> 'idempotencyKey') as same
      from unnest(judged) as j
    ) as asked
    where asked.same > 1 or asked.total > (select a.balance from supply.accounts a where a.id = asked.account_id)
  ) then
    -- Two have the same key, or together they ask for more than there is: the first comes first.
    foreach request in array judged loop
      if account_id is distinct from (request ->> 'accountId')::bigint then
        account_id := (request ->> 'accountId')::bigint;
        balance := (select a.balance from supply.accounts a where a.id = account_id);
        taken := '{}';
      end if;
      if request ->> 'result' not in ('UNAUTHORIZED', 'replayed', 'IDEMPOTENCY_KEY_REUSED') then
        if taken ? (request ->> 'idempotencyKey') then
          request := request || core.answer_repeat(answers[(taken ->> (request ->> 'idempotencyKey'))::int], request);
        elsif request ->> 'result' = 'created' and (request ->> 'total')::numeric > balance then
          request := request || jsonb_build_object('result', 'INSUFFICIENT_BALANCE', 'balance', balance);
        elsif request ->> 'result' = 'created' then
          balance := balance - (request ->> 'total')::numeric;
          taken := taken || jsonb_build_object(request ->> 'idempotencyKey', cardinality(answers) + 1);
        end if;
      end if;
      answers := answers || request;
    end loop;
    return answers;
  end if;
  return judged;
end
$$;
comment on function core.spend_balances is
  'Which of the orders that are otherwise right (core.judge_orders) the balances suffice for; the others become INSUFFICIENT_BALANCE with the '
  'balance. Of those of one batch with the same key the first counts, and the others repeat it. The caller holds the locks of the accounts.';
