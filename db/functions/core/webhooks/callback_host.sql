create or replace function core.callback_host(argument text, url text)
returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(url ~ '^https?://[^[:space:]]+$' and length(url) <= 2048,
    argument || ' must be an http or https URL of at most 2048 characters',
    hint => 'The address of the partner''s receiver, such as https://shop.example/hooks.');
  return substring(url from '^https?://(?:[^/?#]*@)?([^/?#]+)');
end
$$;
comment on function core.callback_host is
  'Returns the host of a callback URL that an operator gives, for the operators'' log: a path and its query may hold a
secret of the partner. Raises, with the name of the argument, if the text is no URL. The worker checks the address.';
