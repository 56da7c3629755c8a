create or replace function core.card_json(code text, item_id uuid)
returns json
language sql stable
return case when code like 'card:{%' then substr(code, 6)::json
  else json_build_object('code', core.shown_code(code, item_id)) end;
comment on function core.card_json is
  'A stored code of an item as partners read it, {code, pin, serial, url, expiresAt} with the parts that the supplier
gave; a sealed one as core.shown_code. Specification 2.3.';
