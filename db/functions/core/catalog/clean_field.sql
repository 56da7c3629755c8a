create or replace function core.clean_field(field jsonb, path text)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  type text := coalesce(field ->> 'type', 'text');
  label text := coalesce(field ->> 'label', field ->> 'id');
  options jsonb := nullif(nullif(field -> 'options', 'null'), '[]');
begin
  perform core.refuse_unknown(field, path, array['id', 'type', 'label', 'required', 'placeholder', 'options']);
  perform core.require(jsonb_typeof(field -> 'id') = 'string' and field ->> 'id' ~ '^[A-Za-z][A-Za-z0-9_.-]{0,63}$',
    path || '.id must be a name of 1 to 64 Latin letters, digits, dots, dashes and underscores');
  perform core.require(field ->> 'id' not in ('constructor', 'prototype'),
    path || '.id must not be constructor or prototype, which orders may not name');
  perform core.require(type in ('text', 'number', 'select'), path || '.type must be text, number or select');
  perform core.require(
    coalesce(jsonb_typeof(field -> 'label'), 'null') in ('string', 'null') and length(trim(label)) between 1 and 200,
    path || '.label must have 1 to 200 characters');
  perform core.require(coalesce(jsonb_typeof(field -> 'required'), 'null') in ('boolean', 'null'),
    path || '.required must be true or false');
  perform core.require(coalesce(jsonb_typeof(field -> 'placeholder'), 'null') in ('string', 'null'),
    path || '.placeholder must be a text');
  if type = 'select' then
    perform core.require(
      case when jsonb_typeof(options) = 'array' then (
        select count(distinct o) = count(*)
          and bool_and(jsonb_typeof(o) = 'string' and length(trim(o #>> '{}')) > 0 and length(o #>> '{}') <= 256)
        from jsonb_array_elements(options) as o) end,
      path || '.options must be an array of different texts of 1 to 256 characters');
  else
    perform core.require(options is null, path || '.options is only for a select');
  end if;

  return jsonb_build_object(
      'id', field -> 'id', 'type', type, 'label', label, 'required', coalesce((field ->> 'required')::boolean, false),
      'placeholder', field -> 'placeholder')
    || case when type = 'select' then jsonb_build_object('options', options) else '{}' end;
end
$$;
comment on function core.clean_field is
  'Returns a delivery field with all its members: id, type (default text), label (default the id), required (default
false), placeholder, options (of a select only). Raises, with the path, if it is malformed.';
