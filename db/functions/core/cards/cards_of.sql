create or replace function core.cards_of(cards jsonb)
returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  if cards is null then
    return null;
  end if;
  perform core.require(jsonb_typeof(cards) = 'array',
    'cards must be an array of objects {code, pin, serial, url, expiresAt}');
  perform core.require(false, format('cards[%s]: %s', c.place - 1, c.fault))
  from (
    select c.place, case
      when jsonb_typeof(c.card) <> 'object' then 'it must be an object'
      when exists (
        select from jsonb_each(c.card) as m
        where m.key not in ('code', 'pin', 'serial', 'url', 'expiresAt')
          or jsonb_typeof(m.value) not in ('string', 'null'))
        then 'its members must be texts: code, pin, serial, url, expiresAt'
      else core.fault_of_card(
        c.card ->> 'code', c.card ->> 'pin', c.card ->> 'serial', c.card ->> 'url', c.card ->> 'expiresAt')
    end as fault
    from jsonb_array_elements(cards) with ordinality as c (card, place)
  ) as c
  where c.fault is not null order by c.place limit 1;
  return array(
    select core.card_text(
      c.card ->> 'code', c.card ->> 'pin', c.card ->> 'serial', c.card ->> 'url', c.card ->> 'expiresAt')
    from jsonb_array_elements(cards) with ordinality as c (card, place) order by c.place);
end
$$;
comment on function core.cards_of is
  'Returns the texts (core.card_text) of codes with parts that an operator typed, [{code, pin, serial, url, expiresAt}];
null stays null. Raises for the first that makes no sense, without quoting it.';
