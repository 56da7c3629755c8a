-- Views of ops call it.
create or replace function core.shown_text(given text)
returns text
language sql immutable parallel safe
-- Without a search_path, so that it is inlined, and with the collation of the column: else supply.orders_external does
-- not serve.
return translate(given collate "C",
  U&'\0001\0002\0003\0004\0005\0006\0007\0008\0009\000A\000B\000C\000D\000E\000F\0010\0011\0012\0013\0014'
  '\0015\0016\0017\0018\0019\001A\001B\001C\001D\001E\001F\007F\0080\0081\0082\0083\0084\0085\0086\0087'
  '\0088\0089\008A\008B\008C\008D\008E\008F\0090\0091\0092\0093\0094\0095\0096\0097\0098\0099\009A\009B'
  '\009C\009D\009E\009F\202A\202B\202C\202D\202E\2066\2067\2068\2069',
  U&'\2401\2402\2403\2404\2405\2406\2407\2408\2409\240A\240B\240C\240D\240E\240F\2410\2411\2412\2413\2414'
  '\2415\2416\2417\2418\2419\241A\241B\241C\241D\241E\241F\2421\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD'
  '\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD'
  '\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD\FFFD');
comment on function core.shown_text is
  'Returns a partner''s text as operators may see it in a terminal: control characters, and those that turn the
direction of the text after them, are replaced by visible symbols.';
