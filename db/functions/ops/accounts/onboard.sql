-- Roles: finance
create or replace function ops.onboard(
  name text, deposit numeric, reference text, allowed_ips cidr[] default null, expires_at timestamptz default null,
  mode text default 'live', currency text default 'RUB', label text default null, allow_duplicate boolean default false,
  allow text[] default '{}'
)
returns table (account_id bigint, key_id bigint, key text, tell_partner text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  namesake bigint;
  balance numeric;
begin
  perform core.require(core.is_money(deposit),
    'deposit must be above 0, at most 100000000000, with at most 2 decimals');
  perform pg_advisory_xact_lock(hashtextextended('names of accounts', 0));
  select a.id into namesake from supply.accounts a
  where lower(trim(a.name)) = lower(trim(onboard.name)) order by a.id limit 1;
  perform core.require(allow_duplicate or namesake is null, format('account %s has the name %L already', namesake,
    trim(name)),
    'unique_violation', format('ops.deposit(%1$s, …) and ops.issue_key(%1$s) give the same partner money and a '
      'further key. '
      'For another partner, add allow_duplicate => true.', namesake));
  account_id := ops.create_account(trim(name), mode => onboard.mode, currency => onboard.currency);
  balance := coalesce(core.post_once('onboard', account_id, deposit, reference, allow => onboard.allow), 0);
  key := ops.issue_key(
    account_id, expires_at => onboard.expires_at, allowed_ips => onboard.allowed_ips, label => onboard.label);
  select k.id into strict key_id from supply.api_keys k where k.account_id = onboard.account_id;
  tell_partner := format(
    E'The service is at %s\n'
    'Your account is number %s, with %s %s to spend.\n'
    'Your API key ends in %s and is sent to you separately. It cannot be shown again: keep it safe.\n'
    'Send it in the header X-Api-Key of each request. First ones: GET /b2b/catalog/games, GET /b2b/balance, POST '
      '/b2b/orders.\n'
    'All endpoints, fields and errors are at /reference?key=YOUR_KEY.\n'
    'We send results to the callbackUrl of your orders, signed with your secret. Tell us the address of your '
      'receiver:\n'
    'we send a test event there, and then send you the secret.',
    coalesce((select p.url from supply.public_address p), '(the operator adds the address: PUBLIC_URL is not set)'),
      account_id, balance::numeric(14,2), onboard.currency, right(key, 4));
  return next;
end
$$;
comment on function ops.onboard is
  'Creates a partner: a supply account, its first deposit (above the approval limit: a proposal), and a full API key
with label, allowed_ips and expires_at, shown once. tell_partner is a text for the partner, without the key; \gx shows
it best. Refuses the name of an account, unless allow_duplicate is true. allow: large_amount, known_reference.';
