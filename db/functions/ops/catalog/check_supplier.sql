-- Roles: support, trade
create or replace function ops.check_supplier(code text)
returns table (supplier text, asked_at timestamptz, took_ms int, answer text, detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers := core.lock_supplier(code);
  latest supply.supplier_checks;
begin
  perform core.require(known.protocol <> 'stock',
    format('supplier %s is our own stock: there is nothing to call', known.code),
    'object_not_in_prerequisite_state', 'ops.stock shows what it has.');
  select c.* into latest from supply.supplier_checks c where c.supplier = known.code;
  -- An answer is kept until it is read, and shown for ten seconds from then on. After a change it is of no use.
  if not found or latest.read_at < now() - interval '10 s' or latest.asked_at < known.updated_at
    or latest.answered_at is null and latest.asked_at < now() - interval '10 s' then
    insert into supply.supplier_checks as c (supplier, id) values (known.code, gen_random_uuid())
    on conflict on constraint supplier_checks_pkey do update set
      id = excluded.id, asked_at = now(), answered_at = null, outcome = null, status_code = null, error = null,
      read_at = null
    returning c.* into latest;
    perform core.enqueue('check_supplier', array[latest.id]);
    perform core.log_operator('check_supplier', 'supplier ' || known.code);
  end if;
  if latest.answered_at is null then
    raise notice 'a worker calls supplier % now: call ops.check_supplier again in a few seconds to read the answer',
      known.code;
  else
    update supply.supplier_checks c set read_at = now() where c.supplier = known.code and c.read_at is null;
  end if;
  return query select known.code, latest.asked_at,
    (extract(epoch from latest.answered_at - latest.asked_at) * 1000)::int,
    case
      when latest.answered_at is null then 'no answer yet'
      when latest.outcome = 'not_received' then 'it works'
      when latest.outcome = 'unknown' then 'it does not work'
      else 'its answer makes no sense'
    end,
    case
      when latest.answered_at is null then null
      when latest.outcome = 'not_received'
        then 'it does not know an order that was never placed, which is right'
      else concat_ws(': ', latest.outcome, coalesce(latest.error, 'HTTP ' || latest.status_code))
    end;
end
$$;
comment on function ops.check_supplier is
  'Makes a worker ask a supplier for an order that was never placed, which is harmless. Call it twice: the first call
starts the check, the second shows the answer, which is kept until then. took_ms: from the start to the recorded answer.
Raises for an unknown supplier.';
