create or replace function core.plain_reason(given text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  with visible as (
    -- Control characters, and what has no width or turns the direction of writing.
    select regexp_replace(left(given, 2000),
      '[\u0001-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5'
        '\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\uffff\U000e0000-\U000e00ff]+',
      '', 'g') as text
  ), folded as (
    select trim(regexp_replace(text,
      '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g')) as text
    from visible
  ), sentences as (
    -- A short word before a full stop is taken for an abbreviation.
    select s.text, s.place
    from folded, string_to_table(
      regexp_replace(folded.text, '([!?…]|[^ ]{5}[.]) ([A-ZА-ЯЁ0-9«"(])', '\1' || chr(10) || '\2', 'g'), chr(10)
    ) with ordinality as s (text, place)
  ), harmless as (
    select string_agg(s.text, ' ' order by s.place) as text
    from sentences s
    where not core.looks_secret(s.text) and not core.holds_address(s.text)
  )
  select case
    when length(text) <= 300 then text
    else left(text, 299 - strpos(reverse(left(text, 299)), ' ')) || '…'
  end
  from harmless
$$;
comment on function core.plain_reason is
  'Returns a supplier''s text as buyers may read it, at most 300 characters: white space folded, without control and
invisible characters, and without sentences that contain an address or what looks like a secret. Null if nothing is
left.';
