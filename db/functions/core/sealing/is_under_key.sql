create or replace function core.is_under_key(texts text[], key_id text)
returns boolean
language sql immutable parallel safe
return not exists (select from unnest(texts) as t where not starts_with(t, 'sealed:' || key_id || ':'));
comment on function core.is_under_key is 'Whether all of the texts are sealed under the data key.';
