create or replace function core.alert_unreadable(subject text)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  -- The login of the API cannot alert operators with any text.
  select core.raise_alerts(array[row('unreadable', subject, null, format(
    'what is sealed for %s does not open with DATA_KEYS: it was changed, or its key is another one', subject)
  )::supply.occurrence])
  from regexp_match(subject, '^(item|answer about|account|supplier|events of supplier) (.{1,100})$') as named (parts)
  where case
    when parts[1] = 'account' then exists (select from supply.accounts a where a.id::text = parts[2])
    when parts[1] in ('item', 'answer about')
      then exists (select from supply.order_items i where i.id = core.uuid_of(parts[2]))
    else exists (select from supply.suppliers s where s.code = parts[2])
  end
$$;
comment on function core.alert_unreadable is
  'Alerts operators that a process could not open what is sealed for subject: item, answer about, account, supplier or
events of supplier, and its id. Does nothing if there is none.';
