create or replace function work.finish_calls(
  results jsonb, deadline interval, unsafe_after interval, to_send int, pool_id text
)
returns supply.recorded
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select core.finish_calls(
    array(
      select row(
        e.ordinal, e."itemId", a.id, e."leaseToken", a.supplier, a.method,
        case
          when said.outcome = 'answered' then said.status
          -- A call that only asks places nothing in any case.
          when said.outcome = 'not_placed' and a.method is distinct from 'put' then 'unknown'
          else said.outcome
        end, null, null,
        coalesce(said.codes, '{}'), said."errorCode", said.reason, said.cause, said.error, said.raw, said."httpStatus",
        said."retryAfter", said."supplierOrderId",
        said."unitPrice", said.currency)::supply.call_result
      from jsonb_to_recordset(finish_calls.results) as e (ordinal int, "itemId" uuid, "leaseToken" uuid, result jsonb)
      cross join lateral jsonb_to_record(e.result) as said (
        outcome text, status text, codes text[], "errorCode" text, reason text, cause text, error text, raw text,
        "httpStatus" int, "retryAfter" double precision, "supplierOrderId" text, "unitPrice" numeric, currency text)
      left join lateral (
        select a.id, a.supplier, a.method from supply.supplier_attempts a where a.lease_token = e."leaseToken" offset 0
      ) as a on true),
    deadline, unsafe_after, to_send, pool_id)
$$;
comment on function work.finish_calls is
  'Records results of calls: [{ordinal, itemId, leaseToken, result: SupplierOutcome}]. busy: nothing was recorded, try
again. Leases at most to_send first attempts, which pool_id makes. deadline: then an item is stuck. unsafe_after: then
a missing item is held if a repeat is not safe.';
