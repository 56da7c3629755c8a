create or replace function core.refusal_json(answer jsonb)
returns json
language sql stable parallel safe
return
  case answer ->> 'result'
    when 'UNAUTHORIZED' then '{}'
    when 'INSUFFICIENT_BALANCE' then json_build_object('details', json_build_object(
      'balance', answer -> 'balance', 'required', answer -> 'total', 'currency', answer -> 'currency'))
    when 'IDEMPOTENCY_KEY_REUSED' then json_build_object('details', answer -> 'details', 'orderCode', answer -> 'orderCode')
    else json_build_object('details', answer -> 'details')
  end;
comment on function core.refusal_json is
  'What the answer to a refused order has besides the code, of an answer of core.judge_orders or core.spend_balances: {details, orderCode}. The one rendering for '
  'orders, simulated ones and quotes.';
