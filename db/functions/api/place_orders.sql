create or replace function api.place_orders(requests jsonb)
returns table (ordinal int, result text, body json)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  request jsonb;
  account supply.accounts;
  products jsonb;
  earlier jsonb;
  differences jsonb;
  priced jsonb;
  taken jsonb;
  drafts jsonb[] := '{}';
  ordinals int[] := '{}';
  codes text[] := '{}';
  results text[] := '{}';
  item_ids uuid[];
begin
  perform 1 from supply.accounts a
  where a.id = any (array(select (r ->> 'accountId')::bigint from jsonb_array_elements(requests) r))
  order by a.id for no key update;
  products := core.offered_products(requests);

  for request in
    select r from jsonb_array_elements(requests) r order by (r ->> 'accountId')::bigint, (r ->> 'ordinal')::int
  loop
    ordinal := (request ->> 'ordinal')::int;
    if account.id is distinct from (request ->> 'accountId')::bigint then
      select a.* into account from supply.accounts a where a.id = (request ->> 'accountId')::bigint;
      taken := '{}';
    end if;

    -- The key was checked at the door; it may have been revoked since, and then it must not spend.
    if not coalesce(account.active, false) or not core.api_key_is_valid((request ->> 'keyId')::bigint, account.id) then
      result := 'UNAUTHORIZED'; body := '{}'; return next;
      continue;
    end if;

    earlier := coalesce(
      drafts[(taken ->> (request ->> 'idempotencyKey'))::int], core.earlier_request(account.id, request ->> 'idempotencyKey'));
    if earlier is not null then
      differences := core.request_differences(earlier, request);
      if differences <> '[]' then
        result := 'IDEMPOTENCY_KEY_REUSED';
        body := json_build_object('details', differences, 'orderCode', earlier -> 'code'); return next;
      else
        ordinals := ordinals || ordinal; codes := codes || (earlier ->> 'code'); results := results || 'replayed'::text;
      end if;
      continue;
    end if;

    if request ->> 'callbackError' is not null then
      result := 'INVALID_CALLBACK_URL';
      body := json_build_object('details', json_build_array(
        json_build_object('path', 'callbackUrl', 'message', request ->> 'callbackError'))); return next;
      continue;
    end if;

    priced := core.price_order(request, account.currency, products);
    if priced ? 'refusal' then
      result := priced ->> 'refusal'; body := json_build_object('details', priced -> 'details'); return next;
      continue;
    end if;

    if (priced ->> 'total')::numeric > account.balance then
      result := 'INSUFFICIENT_BALANCE';
      body := json_build_object('details', json_build_object(
        'balance', account.balance, 'required', priced -> 'total', 'currency', account.currency)); return next;
      continue;
    end if;

    account.balance := account.balance - (priced ->> 'total')::numeric;
    account.last_seq := account.last_seq + 1;
    drafts := drafts || core.draft_order(request, priced, account);
    taken := taken || jsonb_build_object(request ->> 'idempotencyKey', cardinality(drafts));
    ordinals := ordinals || ordinal;
    codes := codes || (drafts[cardinality(drafts)] ->> 'code');
    results := results || 'created'::text;
  end loop;

  item_ids := core.write_orders(drafts);
  perform core.enqueue('call_supplier', item_ids);

  for i in 1 .. cardinality(ordinals) loop
    ordinal := ordinals[i]; result := results[i];
    select core.order_json(o.id, true) into strict body from supply.orders o where o.code = codes[i];
    return next;
  end loop;
end
$$;
comment on function api.place_orders is
  'Places many orders in one transaction and answers each by its ordinal; one refusal never touches another order. '
  'Takes [{ordinal, accountId, keyId, idempotencyKey, externalOrderId, callbackUrl, callbackError, maxTotal, '
  'items: [{productId, quantity, deliveryData, maxPrice}]}], money in the account''s currency. Gives created or replayed with the '
  'order, or a refusal''s code with {details, orderCode}. An accepted order is written with its charge, ledger row and jobs. '
  'Specification 3 and 4.';
