-- Roles: trade, finance
create or replace function ops.set_rate(
  from_currency text, to_currency text, rate numeric, valid_until timestamptz, allow text[] default '{}'
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids int[];
  were_offered supply.product_floor[];
  losses supply.loss[];
  before supply.rates;
  risks supply.risk[];
begin
  perform core.check_allow(allow);
  perform core.require(
    coalesce(set_rate.from_currency ~ '^[A-Z]{3}$' and set_rate.to_currency ~ '^[A-Z]{3}$'
      and set_rate.from_currency <> set_rate.to_currency, false),
    'from_currency and to_currency must be two different codes of three capitals');
  perform core.require(coalesce(set_rate.rate > 0 and set_rate.rate <= 1000000
    and round(set_rate.rate, 10) = set_rate.rate, false),
    'rate must be more than 0 and at most 1000000, with at most 10 decimals: how many units of to_currency one of '
      'from_currency costs');
  valid_until := coalesce(valid_until, 'infinity');
  -- Two logins may set the first rate at once: the second one changes it.
  perform pg_advisory_xact_lock(hashtextextended(format('rate from %s to %s', from_currency, to_currency), 0))
  where not exists (
    select from supply.rates r
    where r.from_currency = set_rate.from_currency and r.to_currency = set_rate.to_currency);
  product_ids := array(
    select p.id from supply.products p where p.currency = set_rate.to_currency and exists (
      select from supply.offers o where o.product_id = p.id and o.currency = set_rate.from_currency));
  were_offered := core.lock_offered(product_ids);
  losses := core.losses(product_ids);
  select r.* into before from supply.rates r
  where r.from_currency = set_rate.from_currency and r.to_currency = set_rate.to_currency for no key update;
  if (before.rate, before.valid_until) = (rate, valid_until) then
    raise notice '1 % costs % % already, %: nothing changed', from_currency, trim_scale(rate), to_currency,
      core.until_in_words(valid_until);
    return;
  end if;
  if core.is_large_change(before.rate, rate) then
    risks := array[row('large_change', format('1 %s: %s', from_currency,
      core.change_in_words(trim_scale(before.rate), trim_scale(rate), to_currency)), null)::supply.risk];
  end if;
  insert into supply.rates as r (from_currency, to_currency, rate, valid_until)
  values (set_rate.from_currency, set_rate.to_currency, set_rate.rate, set_rate.valid_until)
  on conflict on constraint rates_pkey do update
    set rate = excluded.rate, valid_until = excluded.valid_until, set_at = now(), is_end_noted = false;
  perform core.note_offered(product_ids, were_offered);
  perform core.refuse_risks(risks || core.risks_of_losses(losses, core.losses(product_ids)), allow);
  perform core.log_operator('set_rate', format('rate from %s to %s', from_currency, to_currency),
    jsonb_build_object('rate', rate, 'valid_until', valid_until, 'before', case when before.rate is not null
      then jsonb_build_object('rate', before.rate, 'valid_until', before.valid_until) end));
  raise notice '1 % costs % % now, % (before: %); products with offers in %: %', from_currency, trim_scale(rate),
    to_currency, concat(core.until_in_words(valid_until),
      case when valid_until <= now() then ', which is over: nothing is bought at it' end),
    coalesce(trim_scale(before.rate) || ', ' || core.until_in_words(before.valid_until), 'no rate'),
    from_currency, cardinality(product_ids);
end
$$;
comment on function ops.set_rate is
  'Sets the rate that converts costs from one currency to another, valid until a moment (null: until it is set again; a
past moment ends it now). Without a valid rate, offers in from_currency for products in to_currency are not used. The
opposite direction is another rate. Placed items keep their cost. allow: large_change, below_cost.';
