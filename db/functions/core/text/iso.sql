create or replace function core.iso(at timestamptz)
returns text
language sql stable strict parallel safe
return to_char(iso.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
comment on function core.iso is 'Returns a time as partners read it: ISO 8601, UTC, milliseconds.';
