create or replace function core.require_partner_host(account_ids bigint[], callback_url text)
returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  shown constant text := core.callback_host('callback_url', callback_url);
  wanted constant text := core.url_host(callback_url);
  unused bigint;
begin
  select a.id into unused from unnest(account_ids) as a (id)
  where not coalesce(
    exists (
      select from supply.orders o
      where o.account_id = a.id and o.created_at > now() - interval '90 days'
        and o.callback_url is not null and core.url_host(o.callback_url) = wanted)
    or exists (
      select from supply.events e join supply.redelivery_requests r on r.event_id = e.id
      where e.account_id = a.id and r.host = wanted and r.requested_at > now() - interval '90 days'), false)
  order by a.id limit 1;
  -- guard: an operator sends codes only to hosts of the partner
  perform core.require(unused is null,
    format('account %s (%s) did not use the host %s in an order or a redelivery within 90 days: nothing is sent there',
      unused, (select a.name from supply.accounts a where a.id = unused), shown), 'insufficient_privilege',
    'Events hold codes. Ask the partner to send them there himself: POST /b2b/events/<event_id>/redeliver with '
      '{"callbackUrl": "…"} takes any valid address. After that this host can be used here, too.');
end
$$;
comment on function core.require_partner_host is
  'Raises unless each of the accounts used the host of the callback URL, whatever its port, in an order or in a
redelivery that it asked for itself within 90 days.';
