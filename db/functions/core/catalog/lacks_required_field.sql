create or replace function core.lacks_required_field(delivery_type text, fields jsonb)
returns boolean
language sql immutable
return lacks_required_field.delivery_type = 'id_only' and lacks_required_field.fields <> '[]'
  and not lacks_required_field.fields @> '[{"required": true}]';
comment on function core.lacks_required_field is
  'Returns whether none of the delivery fields of an id_only product is required: its orders would reach no player.';
