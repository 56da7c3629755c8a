create or replace function core.count_answers(results supply.call_result[], out causes text[], out messages text[])
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  opens_at constant int := 5;
  known supply.suppliers;
  supplier supply.suppliers;
  result supply.call_result;
  trouble supply.call_result;
begin
  causes := '{}';
  messages := '{}';
  -- A supplier that another transaction has locked is left out: no batch waits for another.
  for known in
    select s.* from supply.suppliers s where s.code = any (array(select r.supplier from unnest(results) as r))
    order by s.code for no key update skip locked
  loop
    supplier := known;
    trouble := null;
    foreach result in array results loop
      -- That the supplier does not know an item is no sign of health, nor of the opposite.
      continue when result.supplier <> known.code or result.method not in ('put', 'get') or result.outcome = 'not_received';
      if result.outcome not in ('unknown', 'not_placed') then
        supplier.failures := 0;
        supplier.open_since := null;
      else
        supplier.failures := least(supplier.failures + 1, opens_at);
        if supplier.failures = opens_at then
          supplier.open_since := coalesce(supplier.open_since, known.open_since, now());
        end if;
      end if;
      if result.method = 'put' and result.outcome not in ('unknown', 'not_placed') then
        supplier.trouble := null;
        trouble := null;
      elsif result.method = 'put' and result.outcome = 'not_placed' and result.cause in ('balance', 'credentials', 'settings') then
        supplier.trouble := result.cause;
        trouble := result;
      end if;
    end loop;

    if trouble.cause is not null then
      causes := causes || format('supplier_%s:%s', trouble.cause, known.code);
      messages := messages || case trouble.cause
        when 'balance' then format('our balance at supplier %s is spent: its items wait', known.code)
        when 'credentials' then format('supplier %s does not accept our credentials: its items wait', known.code)
        else format('our settings of supplier %s make no request (%s): its items wait',
          known.code, coalesce(trouble.error, 'no reason given'))
      end;
    end if;
    if supplier.open_since is not null and known.open_since is null then
      supplier.trial_at := now() + interval '1 minute';
      causes := causes || ('supplier_circuit:' || known.code);
      messages := messages || format('supplier %s gave no usable answer to %s calls in a row: '
        'new items go to others where others can serve, but for one a minute', known.code, supplier.failures);
    elsif supplier.open_since is null then
      supplier.trial_at := null;
    end if;
    if supplier is distinct from known then
      update supply.suppliers s set
        failures = supplier.failures, open_since = supplier.open_since, trial_at = supplier.trial_at,
        trouble = supplier.trouble
      where s.code = known.code;
    end if;
  end loop;
end
$$;
comment on function core.count_answers is
  'Counts for each supplier the calls in a row without a usable answer, opens its circuit at the fifth, closes it by a usable answer,
and notes what an operator has to put right there. Returns what to alert operators of.';
