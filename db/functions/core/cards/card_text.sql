create or replace function core.card_text(code text, pin text, serial text, url text, expires_at text)
returns text
language sql immutable
-- Spaces as in the JSON of orders, in which it stands as it is.
return case when coalesce(pin, serial, url, expires_at) is null then code else
  'card:{' || concat_ws(', ', '"code" : ' || to_json(code), '"pin" : ' || to_json(pin),
    '"serial" : ' || to_json(serial), '"url" : ' || to_json(url), '"expiresAt" : ' || to_json(expires_at)) || '}' end;
comment on function core.card_text is
  'Returns the text that stands for a code wherever codes are stored: the code, or with parts card: and the JSON that
partners read. Workers make the same text (src/messages/cards.ts).';
