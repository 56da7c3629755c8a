-- Views of ops call it.
create or replace function core.offer_terms(
  offer supply.offers, product supply.products, supplier supply.suppliers, rate supply.rates, min_margin numeric
)
returns table (cost numeric, fault text, min_price numeric, is_passed_over boolean)
language sql stable
begin atomic
  select terms.cost,
    case
      when not (supplier).active then 'inactive'
      when (offer).problem is not null then 'problem'
      -- Its items would be held: a code is no top-up.
      when (supplier).protocol = 'stock' and (product).delivery_type <> 'key' then 'delivery type'
      -- The codes of our own stock are counted in core.judged_offers.
      when not (offer).available and (supplier).protocol <> 'stock' then 'stock'
      when terms.is_foreign and (rate).valid_until is null then 'rate missing'
      when terms.is_foreign and (rate).valid_until <= now() then 'rate expired'
      when (offer).cost is null
        then case when coalesce((offer).max_cost, offer_terms.min_margin) is not null then 'cost unknown' end
      when (offer).cost > (offer).max_cost or terms.cost > 99999999999.99 then 'cost'
    end,
    case
      when offer_terms.min_margin is null or coalesce(terms.cost, 0) = 0 then 0
      when offer_terms.min_margin = 1 then 'infinity'
      -- Rounded up to the cent, without the inexact quotient: (1 - min_margin) * 10000 is a whole number.
      else div(
        terms.cost * 1000000 + (1 - offer_terms.min_margin) * 10000 - 1, (1 - offer_terms.min_margin) * 10000) * 0.01
    end,
    -- A circuit is half open when a trial is due: the first item takes the trial, and the others use other offers.
    (supplier).paused_at is not null
      or (supplier).open_since is not null and coalesce((supplier).trial_at > now(), true)
  from (
    select (offer).currency <> (product).currency as is_foreign,
      -- Rounded up, so that the cost is never too low.
      case when (offer).currency <> (product).currency then ceil((offer).cost * (rate).rate * 100) / 100
        else (offer).cost end as cost
  ) as terms;
end;
comment on function core.offer_terms is
  'Returns the terms of an offer for new items, by its supplier, the rate that converts its cost (null: none) and the
least margin (null: any): the columns of core.judged_offers, also for offers that are not written yet.';
