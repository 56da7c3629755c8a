create or replace function core.fault_of_recipient(recipient text, fields jsonb)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case
    when length(recipient) > 200 or recipient !~ '^[^{}[:cntrl:]]*([{][A-Za-z][A-Za-z0-9_.-]{0,63}[}][^{}[:cntrl:]]*)+$'
      then 'recipient must be a text of up to 200 characters with fields in braces, such as {gameUserId}'
    else (
      select format('recipient needs the field %s, which is no required field of the product', named.id)
      from (
        select split_part(m.part, '}', 1) as id, m.n
        from string_to_table(recipient, '{') with ordinality as m (part, n) where m.n > 1) as named
      where not fields @> jsonb_build_array(jsonb_build_object('id', named.id, 'required', true))
      order by named.n limit 1)
  end
$$;
comment on function core.fault_of_recipient is
  'Returns what is wrong with the recipient of an offer, given the delivery fields of its product; null: nothing.';
