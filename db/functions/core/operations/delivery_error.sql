create or replace function core.delivery_error(outcome text, status_code int, error text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case
    when outcome is null or outcome = 'delivered' then null
    when outcome = 'lost' then 'lost'
    when status_code is not null then 'http_' || status_code
    when starts_with(error, 'TLS: ') then 'tls_error'
    when starts_with(error, 'timeout after ') or error = 'connection timed out' then 'timeout'
    when starts_with(error, 'name does not resolve') then 'name_not_resolved'
    when starts_with(error, 'the name resolves to the blocked address') or starts_with(error, 'connected to ')
      or starts_with(error, 'callbackUrl must not point to a private') then 'blocked_address'
    when starts_with(error, 'callbackUrl ') then 'invalid_url'
    when starts_with(error, 'not an HTTP response') or starts_with(error, 'invalid status ')
      or error in ('response headers too large', 'too much before the response') then 'bad_response'
    when error = 'the host could not be reached' then 'host_unreachable'
    else 'connection_error'
  end
$$;
comment on function core.delivery_error is
  'Returns what a partner reads about a failed attempt: lost, http_ and the status, tls_error, timeout,
name_not_resolved, blocked_address, invalid_url, bad_response, host_unreachable (of a sample) or connection_error.
Null of an attempt that is under way or was delivered. The recorded error is for operators.';
