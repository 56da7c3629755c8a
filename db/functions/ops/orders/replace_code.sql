-- Roles: support
create or replace function ops.replace_code(item_id anycompatible, old_code text, new_code text, note text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant uuid := core.refer_to('item', item_id)::uuid;
  is_sealed constant boolean := exists (select from supply.data_keys);
  fault text;
  event record;
begin
  perform 1 from supply.orders o
  where o.id = (select i.order_id from supply.order_items i where i.id = wanted_id) for no key update;
  perform 1 from supply.order_items i where i.id = wanted_id for no key update;
  perform core.require(not core.is_blank(note), 'note must say why the code is replaced');
  perform core.require(not core.is_blank(new_code) and core.fault_of_card(new_code, null, null, null, null) is null,
    'new_code: ' || core.fault_of_card(new_code, null, null, null, null));
  perform core.require(not core.is_blank(old_code), 'old_code must be the code that the partner reads now');
  -- As codes of our own stock are written: else they are not found to be the same.
  new_code := core.trim_blanks(new_code);
  perform core.require_no_code('note', note, array[core.trim_blanks(old_code), new_code]);
  if is_sealed then
    perform core.type_codes(wanted_id, 'replace', array[old_code, new_code], note);
  else
    fault := core.replace_item_code(wanted_id, old_code, new_code, note, session_user);
    perform core.require(fault is null, fault, 'object_not_in_prerequisite_state',
      'ops.find_code shows who has a code; ops.shared_codes shows the items that share one.');
  end if;
  perform core.log_operator('replace_code', 'item ' || wanted_id, jsonb_build_object('note', note));
  select e.* into event from ops.events e join supply.order_items i on i.id = wanted_id
  join supply.orders o on o.id = i.order_id and o.code = e.order_code where not e.simulated;
  raise notice '%', concat(format('item %s: ', wanted_id),
    case when is_sealed then 'a worker compares the new code with all others within seconds, and then replaces the old '
      'one; a refusal is an alert (codes_refused)' else 'the partner reads the new code from now on; the old one is '
      'kept' end,
    case when event.delivered_at is not null then format('; the event was delivered with the old one on %s: '
      'ops.redeliver(%L) sends it again, with the new one', date_trunc('second', event.delivered_at), event.event_id)
      end);
end
$$;
comment on function ops.replace_code is
  'Gives an item a new code for one that does not work: the partner reads the new one, also in later deliveries, and
both are kept. Raises if any item has or had the new code, and if this item has not the old one. The log keeps the
note, and no code.';
