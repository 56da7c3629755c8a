create or replace function core.clean_field(field jsonb, path text)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  type constant text := coalesce(field ->> 'type', 'text');
  label constant text := coalesce(field ->> 'label', field ->> 'id');
  options constant jsonb := nullif(nullif(field -> 'options', 'null'), '[]');
  fault constant text := case
    when coalesce(jsonb_typeof(field -> 'id') <> 'string' or field ->> 'id' !~ '^[A-Za-z][A-Za-z0-9_.-]{0,63}$', true)
      then '.id must be a name of 1 to 64 Latin letters, digits, dots, dashes and underscores'
    when field ->> 'id' in ('constructor', 'prototype')
      then '.id must not be constructor or prototype, which orders may not name'
    when type not in ('text', 'number', 'select') then '.type must be text, number or select'
    when jsonb_typeof(field -> 'label') not in ('string', 'null') or length(trim(label)) not between 1 and 200
      then '.label must have 1 to 200 characters'
    when jsonb_typeof(field -> 'required') not in ('boolean', 'null') then '.required must be true or false'
    when jsonb_typeof(field -> 'placeholder') not in ('string', 'null') then '.placeholder must be a text'
    when type <> 'select' and options is not null then '.options is only for a select'
    when type = 'select' and not coalesce(case when jsonb_typeof(options) = 'array' then (
        select count(distinct o) = count(*)
          and bool_and(jsonb_typeof(o) = 'string' and length(trim(o #>> '{}')) > 0 and length(o #>> '{}') <= 256)
        from jsonb_array_elements(options) as o) end, false)
      then '.options must be an array of different texts of 1 to 256 characters'
  end;
begin
  perform core.refuse_unknown(field, path, array['id', 'type', 'label', 'required', 'placeholder', 'options']);
  perform core.require(fault is null, path || fault);
  return jsonb_build_object(
      'id', field -> 'id', 'type', type, 'label', label, 'required', coalesce((field ->> 'required')::boolean, false),
      'placeholder', field -> 'placeholder')
    || case when type = 'select' then jsonb_build_object('options', options) else '{}' end;
end
$$;
comment on function core.clean_field is
  'Returns a delivery field with all its members: id, type (default text), label (default the id), required (default
false), placeholder, options (of a select only). Raises, with the path, if it is malformed.';
