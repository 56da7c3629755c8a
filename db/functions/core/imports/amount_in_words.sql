create or replace function core.amount_in_words(amount numeric, currency text)
returns text
language sql immutable
return case when scale(amount_in_words.amount) < 2 then amount_in_words.amount::numeric(20, 2)
  else amount_in_words.amount end || coalesce(' ' || amount_in_words.currency, '');
comment on function core.amount_in_words is 'Returns an amount as text, with at least two decimals: "12.30 EUR".';
