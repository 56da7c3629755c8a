-- Views of ops call it.
create or replace function core.decimals(currency text)
returns int
language sql immutable
return
  -- Without a setting the planner takes it into the statement, where prices are computed by the thousand.
  case
    when decimals.currency in ('BHD', 'CLF', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND', 'UYW') then null
    when decimals.currency in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI',
      'VND', 'VUV', 'XAF', 'XOF', 'XPF') then 0
    when decimals.currency ~ '^[A-Z]{3}$' then 2
  end;
comment on function core.decimals is
  'Returns the decimals of a currency (ISO 4217): 0 or 2. Null for currencies with three or four, which are not
supported.';
