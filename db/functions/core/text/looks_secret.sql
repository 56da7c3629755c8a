create or replace function core.looks_secret(given text)
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select
    -- A long word of any kind.
    text ~ '[A-Za-z0-9_+/=-]{24}'
    or exists (
      select from regexp_split_to_table(text, '[^A-Za-z0-9_-]+') as word where length(word) >= 16 and word ~ '[0-9]')
    -- A gift code mixes letters and digits; the name of a game does not.
    or exists (
      select from regexp_split_to_table(text, '[^A-Za-z0-9]+') as word
      where length(word) >= 12 and word ~ '[A-Za-z][0-9]+[A-Za-z]|[0-9][A-Za-z]+[0-9]')
    -- Groups of a product key, or of a card's number.
    or text ~ '(^|[^A-Za-z0-9])[A-Z0-9]{3,}([_‐–—-][A-Z0-9]{3,}){2}'
    or text ~ '(^|[^A-Za-z0-9])[A-Za-z0-9]{4,5}([_‐–—-][A-Za-z0-9]{4,5}){2,}([^A-Za-z0-9]|$)'
    or exists (
      select
      from regexp_matches(text, '(?:^|[^A-Za-z0-9])([A-Z0-9]{4,5}(?: [A-Z0-9]{4,5}){2,})(?:[^A-Za-z0-9]|$)', 'g')
        as groups
      where groups[1] ~ '[0-9]')
    -- A word that names a secret.
    or lower(text) ~ 'svc_(live|test)_|bearer +[^ ]|basic +[a-z0-9+/=]{8}'
    or lower(text) ~ '(token|secret|password|passwd|api.?key|authorization|cookie|токен|секрет|пароль|ключ|пин|pin)'
      ' *[:=] *["«]?[a-z0-9]'
  from (select normalize(given, NFKC) as text) as plain
$$;
comment on function core.looks_secret is
  'Returns whether a text contains what looks like a key, a token or a password: 16 or more Latin letters and digits in
a row with a digit among them, 12 that mix both, 24 of any kind, groups as of a product key, or a word that names one.
Null of null.';
