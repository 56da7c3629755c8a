create or replace function core.fault_of_details(image_url text, platform text, countries text[])
returns text
language sql immutable
return case
  when image_url <> '' and (length(image_url) > 2000
      or image_url !~ '^https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?([/?#][!-~]*)?$'
      or image_url ~ '["<>\\^`{|}]')
    then 'image_url must be an http or https URL of at most 2000 characters, without a user, the others than ASCII as '
      '%D0%B0'
  when platform <> '' and (core.is_blank(platform) or length(platform) > 100)
    then 'platform must have 1 to 100 characters; an empty text clears it'
  when array_ndims(countries) > 1 or not core.are_countries(countries)
    then 'countries must be different codes of ISO 3166-1 alpha-2, in capitals, such as {DE,GB}; {} means everywhere'
end;
comment on function core.fault_of_details is
  'Returns the first rule of ops.set_product_details that the values break; null: none.';
