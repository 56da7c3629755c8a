create or replace function core.call_in_words(call supply.supplier_attempts, ordered int, next_supplier text,
  is_under_way boolean)
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case
    when call.finished_at is null and is_under_way then 'the call is under way'
    when call.finished_at is null
      then format('no answer was recorded, because the worker was lost; %s may have received it', call.supplier)
    when call.verdict = 'held' then call.supplier || case call.outcome
      when 'not_received' then ' does not have it, and sending it again may be unsafe'
      when 'hold' then ' gives an unclear answer (' || coalesce(call.error, 'no reason given') || ')'
        || case when number > 0 then ' with ' || codes else '' end
      else format(' says %s with %s for an amount of %s, which makes no sense', call.outcome, codes, ordered)
    end || ': the item is held for an operator'
    when call.verdict = 'next_supplier'
      then format('%s cannot deliver it%s, so %s gets it', call.supplier, ' (' || why || ')', next_supplier)
    else case call.outcome
      when 'processing' then call.supplier || ' is processing it'
      when 'completed' then call.supplier || ' delivers ' || case when number > 0 then codes else 'it' end
      when 'failed' then call.supplier
        || case when number > 0 then format(' delivers %s of %s and fails the rest', codes, ordered)
          else ' refuses it' end
        || coalesce(' (' || why || ')', '')
      when 'not_received' then call.supplier || ' did not receive it'
      when 'not_placed' then call.supplier || case call.cause
        when 'balance' then ' says that our balance there is too low'
        when 'credentials' then ' does not accept our credentials'
        when 'settings' then ' was not called, because our settings for it make no valid request'
        when 'unreachable' then ' could not be reached'
        when 'late' then ' was not called, because our worker came too late'
        else ' accepts no orders now'
      end || coalesce(' (' || call.error || ')', '') || ': this call placed no order'
      when 'hold' then format('%s gives an unclear answer (%s)', call.supplier, coalesce(call.error, 'no reason given'))
      else format('no usable answer from %s (%s): the outcome is unknown', call.supplier,
        coalesce(call.error, 'HTTP status ' || call.status_code, 'no reason given'))
    end || case call.verdict
      when 'stuck' then '; the deadline has passed, so the item is stuck'
      when 'late' then '; the item was already final, so this changes nothing'
      when 'contradicting' then '; this contradicts the recorded result and changes nothing'
      when 'stale' then '; this came too late and changes nothing'
      when 'repeated' then '; this repeats an earlier result'
      else ''
    end || case when call.repeats > 0 then format(' (pushed again %s times)', call.repeats) else '' end
  end
  from (
    select cardinality(call.codes) as number,
      cardinality(call.codes) || case cardinality(call.codes) when 1 then ' code' else ' codes' end as codes,
      nullif(concat_ws(': ', core.public_error_code(call.error_code), core.plain_reason(call.reason)), '') as why
  ) as said
$$;
comment on function core.call_in_words is
  'Returns a supplier''s answer or pushed result in words, and what followed from it. Shows no code, and only the part
of the supplier''s text that core.plain_reason returns.';
