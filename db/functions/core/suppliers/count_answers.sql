create or replace function core.count_answers(results supply.call_result[])
returns supply.occurrence[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  opens_at constant int := 5;
  known supply.suppliers;
  supplier supply.suppliers;
  result supply.call_result;
  is_usable boolean;
  is_troubled boolean;
  trouble_error text;
  alerts supply.occurrence[] := '{}';
begin
  -- A supplier that another transaction has locked is left out: no batch waits for another.
  for known in
    select s.* from supply.suppliers s where s.code = any (array(select r.supplier from unnest(results) as r))
    order by s.code for no key update skip locked
  loop
    supplier := known;
    is_troubled := false;
    foreach result in array results loop
      -- An answer that the supplier does not know the item shows neither a working nor a failing supplier. A stale
      -- result and a late call show a worker that stood still.
      continue when result.supplier <> known.code or result.method not in ('put', 'get')
        or result.outcome = 'not_received' or result.verdict = 'stale' or coalesce(result.cause = 'late', false);
      is_usable := result.outcome not in ('unknown', 'not_placed');
      supplier.failures := case when is_usable then 0 else least(supplier.failures + 1, opens_at) end;
      supplier.open_since := case
        when is_usable then null
        when supplier.failures = opens_at then coalesce(supplier.open_since, known.open_since, now())
        else supplier.open_since
      end;
      if result.method = 'put' and (is_usable or result.cause in ('balance', 'credentials', 'settings')) then
        is_troubled := not is_usable;
        supplier.trouble := case when is_troubled then result.cause end;
        trouble_error := result.error;
      end if;
    end loop;

    if is_troubled then
      alerts := alerts || row('supplier_' || supplier.trouble, known.code, null, case supplier.trouble
        when 'balance' then format('our balance at supplier %s is spent: its items wait', known.code)
        when 'credentials' then format('supplier %s does not accept our credentials: its items wait', known.code)
        else format('our settings of supplier %s make no request (%s): its items wait',
          known.code, coalesce(trouble_error, 'no reason given'))
      end)::supply.occurrence;
    end if;
    if supplier.open_since is not null and known.open_since is null then
      alerts := alerts || row('supplier_circuit', known.code, null, format('supplier %s gave no usable answer to %s '
        'calls in a row. New items go to other suppliers that can serve them; one item a minute tests this one',
        known.code, supplier.failures))::supply.occurrence;
    end if;
    supplier.trial_at := case
      when known.open_since is null and supplier.open_since is not null then now() + interval '1 minute'
      when supplier.open_since is not null then known.trial_at
    end;
    if supplier is distinct from known then
      update supply.suppliers s set
        failures = supplier.failures, open_since = supplier.open_since, trial_at = supplier.trial_at,
        trouble = supplier.trouble
      where s.code = known.code;
    end if;
  end loop;
  return alerts;
end
$$;
comment on function core.count_answers is
  'Counts for each supplier the calls in a row without a usable answer, opens its circuit at the fifth, closes it at a
usable answer, and records what an operator has to put right there. Returns what operators are to be alerted of.';
