create or replace function core.count_answers(results supply.call_result[], out causes text[], out messages text[])
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  opens_at constant int := 5;
  said record;
  known record;
begin
  causes := '{}';
  messages := '{}';
  for said in
    with calls as (
      select r.supplier, r.method, r.ordinal, r.outcome in ('unknown', 'not_placed') as is_bad,
        case when r.outcome = 'not_placed' then r.cause end as cause, r.error
      from unnest(results) as r
      -- That it does not know an item is no sign of health, nor of the opposite.
      where r.method in ('put', 'get') and r.outcome <> 'not_received'
    ), ranked as (
      select c.*, max(c.ordinal) filter (where not c.is_bad) over (partition by c.supplier) as good_at,
        max(c.ordinal)
          filter (where c.method = 'put' and (not c.is_bad or c.cause in ('balance', 'credentials', 'settings')))
          over (partition by c.supplier) as told_at
      from calls c
    )
    select r.supplier, bool_or(not r.is_bad) as is_good,
      count(*) filter (where r.is_bad and r.ordinal > coalesce(r.good_at, -1))::int as failures,
      max(r.told_at) is not null as is_told, max(r.cause) filter (where r.ordinal = r.told_at) as trouble,
      max(r.error) filter (where r.ordinal = r.told_at) as error
    from ranked r group by r.supplier order by r.supplier
  loop
    if said.trouble is not null then
      causes := causes || format('supplier_%s:%s', said.trouble, said.supplier);
      messages := messages || case said.trouble
        when 'balance' then format('our balance at supplier %s is spent: its items wait', said.supplier)
        when 'credentials' then format('supplier %s does not accept our credentials: its items wait', said.supplier)
        else format('our settings of supplier %s make no request (%s): its items wait',
          said.supplier, coalesce(said.error, 'no reason given'))
      end;
    end if;
    select s.failures, s.open_since, s.trouble into known
    from supply.suppliers s where s.code = said.supplier for no key update skip locked;
    -- Who has the lock counts; no batch waits for another.
    continue when not found;
    if said.is_good then
      known.failures := 0;
    end if;
    known.failures := least(known.failures + said.failures, opens_at);
    if said.is_good and said.failures < opens_at then
      known.open_since := null;
    elsif known.open_since is null and known.failures >= opens_at then
      known.open_since := now();
      causes := causes || ('supplier_circuit:' || said.supplier);
      messages := messages || format('supplier %s gave no usable answer to %s calls in a row: '
        'new items go to others where others can serve, but for one a minute', said.supplier, known.failures);
    end if;
    update supply.suppliers s set
      failures = known.failures, open_since = known.open_since,
      trial_at = case
        when known.open_since is null then null
        when s.open_since is null then now() + interval '1 minute'
        else s.trial_at
      end,
      trouble = case when said.is_told then said.trouble else s.trouble end
    where s.code = said.supplier and (
      s.failures <> known.failures or s.open_since is distinct from known.open_since
      or said.is_told and s.trouble is distinct from said.trouble);
  end loop;
end
$$;
comment on function core.count_answers is
  'Counts for each supplier the calls in a row without a usable answer, opens its circuit at the fifth, closes it by a usable answer,
and notes what an operator has to put right there. Returns what to alert operators of. A supplier whose row another transaction
has locked is left out.';
