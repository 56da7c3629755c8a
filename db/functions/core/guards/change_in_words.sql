create or replace function core.change_in_words(before numeric, after numeric, unit text)
returns text
language sql immutable
return concat_ws(' ', coalesce(change_in_words.before::text, 'unknown'), '→',
  coalesce(change_in_words.after::text, 'unknown'), change_in_words.unit,
  format('(%s %%)', round((change_in_words.after / nullif(change_in_words.before, 0) - 1) * 100)));
comment on function core.change_in_words is
  'Returns a change of an amount as text: "132.49 → 13.25 RUB (-90 %)".';
