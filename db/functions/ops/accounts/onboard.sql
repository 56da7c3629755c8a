create or replace function ops.onboard(
  name text, deposit numeric, reference text, allowed_ips cidr[] default null, expires_at timestamptz default null,
  mode text default 'live', currency text default 'RUB', label text default null, allow_duplicate boolean default false
)
returns table (account_id bigint, key_id bigint, key text, tell_partner text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  namesake bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('names of accounts', 0));
  select a.id into namesake from supply.accounts a
  where lower(trim(a.name)) = lower(trim(onboard.name)) order by a.id limit 1;
  perform core.require(allow_duplicate or namesake is null, format('account %s has the name %L already', namesake, trim(name)), 'unique_violation',
    format('The same partner gets money by ops.deposit(%1$s, …) and a further key by ops.issue_key(%1$s). For another one, add allow_duplicate => true.',
      namesake));
  account_id := ops.create_account(trim(name), mode => onboard.mode, currency => onboard.currency);
  perform ops.deposit(account_id, onboard.deposit, onboard.reference);
  key := ops.issue_key(
    account_id, expires_at => onboard.expires_at, allowed_ips => onboard.allowed_ips, label => onboard.label);
  select k.id into strict key_id from supply.api_keys k where k.account_id = onboard.account_id;
  tell_partner := format(
    E'Your account is number %s, with %s %s to spend.\n'
    'Your API key ends in %s and comes to you by a separate way. It cannot be shown again: keep it safe.\n'
    'Send it in the header X-Api-Key of each request. First ones: GET /b2b/catalog/games, GET /b2b/balance, POST /b2b/orders.\n'
    'All endpoints, fields and errors stand under /reference?key=YOUR_KEY.\n'
    'Results come to the callbackUrl of your orders, signed with your secret. Give us the address of your receiver:\n'
    'we send a test event there, and then tell you the secret.',
    account_id, onboard.deposit::numeric(14,2), onboard.currency, right(key, 4));
  return next;
end
$$;
comment on function ops.onboard is
  'Makes a new partner in one step: a supply account, its first deposit under a reference, and a full API key, which is shown this once. '
  'tell_partner is a text for the partner, without the key; \gx in the place of the semicolon shows it best. mode: live, or test. '
  'label, allowed_ips and expires_at are those of the key, as in ops.issue_key. Raises if an account has the name (capital letters and blanks around it do not count) unless '
  'allow_duplicate is true.';
