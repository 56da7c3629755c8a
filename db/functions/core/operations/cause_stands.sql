create or replace function core.cause_stands(alert_kind supply.alert_kind, alert_subject text, of_account bigint)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case
    when alert_kind in ('contradicting_result', 'sold_twice', 'supplier_price', 'supplier_balance_fell', 'unreadable',
      'clock_went_back', 'codes_refused', 'closed_account') then null
    when of_account is not null then exists (
      select from core.problems p where p.kind = alert_kind and p.account_id = of_account and p.subject = alert_subject)
    else exists (select from core.problems p where p.kind = alert_kind and coalesce(p.subject = alert_subject, true))
  end
$$;
comment on function core.cause_stands is
  'Returns whether the cause of an alert still stands in core.problems. Null if no table shows that, as with
contradicting results, which an operator acknowledges.';
