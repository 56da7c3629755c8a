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
  'The host of a URL that an operator gives for events, for the operators'' log: with the path and its query a URL can hold a secret of
the partner''s. Raises, with the argument''s name, for what is no URL. The worker checks the address before each attempt.';
