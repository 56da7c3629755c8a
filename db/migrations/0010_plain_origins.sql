set local role supply_owner;

-- Origins are compared as texts from now on: what was stored with a default port, or with an IPv6 address written at
-- length, takes the form in which an origin comes.
update supply.api_keys k
set allowed_origins = plain.origins
from supply.api_keys old
cross join lateral (
  select array_agg(
    coalesce(
      part[1] || case
        when part[2] like '[%' and pg_input_is_valid(btrim(part[2], '[]'), 'inet') then '[' || host(btrim(part[2], '[]')::inet) || ']'
        else part[2]
      end || case when part[1] || part[3] in ('https://:443', 'http://:80') then '' else part[3] end,
      t.entry)
    order by t.place) as origins
  from unnest(old.allowed_origins) with ordinality as t (entry, place),
    regexp_match(lower(t.entry), '^((?:[^/]*://)?)(\[.*\]|[^:]*)((?::[0-9]*)?)$') as m (part)
) plain
where k.id = old.id and plain.origins <> old.allowed_origins;

comment on column supply.api_keys.allowed_origins is
  'Allowed Origin values: host, *.host or whole origin, in lower case and without default ports; null: any.';

reset role;
