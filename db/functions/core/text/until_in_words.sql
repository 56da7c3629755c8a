create or replace function core.until_in_words(moment timestamptz)
returns text
language sql stable
return case when until_in_words.moment = 'infinity' then 'until it is set again'
  else 'until ' || until_in_words.moment::timestamptz(0) end;
comment on function core.until_in_words is 'Returns until when something is valid, as text; infinity: until it is set.';
