create or replace function core.shown_code(code text, item_id uuid)
returns text
language sql immutable parallel safe
return case when code like 'sealed:%' and split_part(code, ':', 5) = '' then code || ':' || item_id else code end;
comment on function core.shown_code is
  'A stored code as the JSON of orders and events holds it: a sealed one with its item behind it, or with the id that it
was sealed for in stock, which an item keeps. API and worker open it.';
