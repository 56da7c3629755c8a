create or replace function work.replace_texts(changes jsonb)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  change record;
begin
  for change in
    select c.* from jsonb_to_recordset(changes) as c (kind text, id text, old text[], new text[]) order by c.kind, c.id
  loop
    case change.kind
      when 'item' then
        update supply.item_keys k set code = change.new[array_position(change.old, k.code)]
        where k.item_id = change.id::uuid and k.code = any (change.old);
      when 'attempt' then
        update supply.supplier_attempts a set codes = change.new
        where a.id = change.id::bigint and a.codes = change.old;
      when 'replaced' then
        update supply.replaced_codes r set code = change.new[1]
        where r.id = change.id::bigint and r.code = change.old[1];
      when 'stock' then
        -- From here on it is sold, unless it is a duplicate.
        update supply.stock_codes c set code = change.new[1], state = case
          when c.state <> 'unsealed' then c.state
          when exists (
              select from supply.stock_codes o
              where core.code_identity(o.code) = core.code_identity(change.new[1]) and o.state in ('unsealed', 'free'))
            or exists (select from core.owners_of_codes(array[change.new[1]])) then 'duplicate'
          else 'free' end
        where c.id = change.id::uuid and c.code = change.old[1];
      when 'line' then
        update supply.import_lines l set given = l.given || jsonb_build_object('card', change.new[1])
        where l.id = change.id::bigint and l.given ->> 'card' = change.old[1];
      when 'answer' then
        update supply.supplier_attempts a set raw = change.new[1]
        where a.id = change.id::bigint and a.raw = change.old[1];
      when 'event' then
        update supply.events e set body = change.new[1] where e.id = change.id::uuid and e.body = change.old[1];
      when 'account' then
        update supply.webhook_secrets s set secret = change.new[1]
        where s.account_id = change.id::bigint and s.secret = change.old[1];
      when 'token' then
        update supply.suppliers s set token = change.new[1] where s.code = change.id and s.token = change.old[1];
      when 'push_secret' then
        update supply.suppliers s set push_secret = change.new[1]
        where s.code = change.id and s.push_secret = change.old[1];
    end case;
    perform core.refuse_closed_keys(change.new);
  end loop;
end
$$;
comment on function work.replace_texts is
  'Replaces texts by their sealed forms: [{kind, id, old, new}], of the kinds that core.order_texts,
work.list_secret_texts and work.list_unsealed_codes return. A text that is no longer old stays as it is.';
