create or replace function core.import_in_words(import supply.imports)
returns text
language sql immutable
return format('import %s (%s): %s %s', import_in_words.import.id, import_in_words.import.kind,
  import_in_words.import.lines, case when import_in_words.import.lines = 1 then 'line' else 'lines' end);
comment on function core.import_in_words is 'Returns an import as text: "import 17 (products): 501 lines".';
