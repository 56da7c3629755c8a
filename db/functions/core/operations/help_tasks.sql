create or replace view core.help_tasks as
select row_number() over () as place, t.task, string_to_array(t.names, ' ') as names, t.introduction
from (values
  ('help', 'help',
    'All of a task: select * from ops.help(''money'');
One function or view: select * from ops.help(''ops.orders'');'),
  ('partners', 'onboard accounts send_test_event webhook_secret stored_webhook_secret create_account '
    'set_account_active close_account rename_account set_low_balance_threshold set_spending_limit spending_limits'
    ' set_rate_limit rate_limits',
    'A new partner, up to the first order:
select * from ops.onboard(''Acme'', 50000, ''invoice 1'') \gx
select ops.send_test_event(2, ''https://acme.example/hooks'');
select ops.webhook_secret(2);
Send the partner the secret and the key over a safe channel.'),
  ('keys', 'api_keys issue_key rotate_key replace_leaked_key key_orders revoke_key set_key set_key_expiry'
    ' set_key_origins set_key_ips ensure_demo_key',
    'A key that leaked ends at once, and the partner gets another:
select ops.replace_leaked_key(''svc_live_…'');
A rotated key works on while the partner changes to its replacement:
select ops.rotate_key(7, overlap => ''48 hours'');'),
  ('money', 'deposit correct_deposit adjust refund_item proposals approve reject statement margins ledger ledger_chain'
    ' money_rules',
    'Only orders and these functions move money; nothing removes a row.
select ops.deposit(2, 50000, ''invoice 2'');
A mistaken amount is corrected with a note; 0 if it was another partner''s money:
select ops.correct_deposit(2, ''invoice 2'', 5000, ''a digit too many'');
What needs a second login waits here: select * from ops.proposals where state = ''open'';
Repeated with the same reference, they change nothing.
What moved a balance: select * from ops.statement(2, ''2026-03-01'', ''2026-04-01'');
The margins of a month, by supplier:
select supplier, sum(margin) from ops.margins(''2026-03-01'', ''2026-04-01'') group by 1;'),
  ('months', 'month close_month payables import_supplier_statement supplier_differences set_supplier_threshold',
    'What was sold, refunded and spent in a month: select * from ops.month(''2026-11'');
What we owe suppliers for it: select * from ops.payables(''2026-11'');
A statement of a supplier, from a file, against our items:
\copy ops.import_supplier_statement (supplier, reference, amount, at) from ''first.csv'' csv header
select * from ops.supplier_differences();
Freeze the month: select ops.close_month(''2026-11'');
docs/operations/month-end.md has all steps.'),
  ('orders', 'order_story order_history find orders order_items stuck_items settle_item cancel_item'
    ' find_code replace_code shared_codes fingerprint_keys partner_orders reroute_item reroute_all poll_now poll_all'
    ' erase_delivery_data',
    'What happened: select * from ops.order_story(''acme-1042'');
What an item waits for: select * from ops.stuck_items;
Ask its supplier at once: select ops.poll_now(''<item_id>'');
Or ask the supplier, and decide:
select ops.settle_item(''<item_id>'', ''failed'', reason => ''Нет в наличии'');
Failed items are refunded, and the partner is notified.
Erase a player''s id:
select ops.erase_delivery_data(''<player_id>'', ''<request>'');'),
  ('webhooks', 'events delivery_attempts dead_letters redeliver redeliver_all redeliver_orders deliver_now'
    ' deliver_all',
    'An event is tried nine times within two days. After that, or once the receiver refuses it permanently, it is a '
      'dead letter.
The dead letters: select * from ops.dead_letters;
Send one again: select ops.redeliver(''<event_id>'');
Or count all of a partner, then send them:
select ops.redeliver_all(2, now() - interval ''1 day'');
select ops.redeliver_all(2, now() - interval ''1 day'', dry_run => false);
The attempts of one: select * from ops.delivery_attempts where event_id = ''<event_id>'';'),
  ('catalog', 'products games offers upsert_game upsert_product set_price set_in_stock upsert_offer remove_offer'
    ' set_product_details set_product_text product_texts load_catalog load_demo',
    'A product is sold once a supplier offers it:
select ops.upsert_game(''dragon'', ''Dragon Realms'');
select ops.upsert_product(null, ''dragon'', ''60 pearls'', 89, ''RUB'', ''id_only'');
select ops.upsert_offer(1, ''first'', ''sku-60'', cost => 70);
An order of an id_only product must carry gameUserId, unless the product has other delivery_fields.
A new price: select ops.set_price(1, 95);
What shops show of it:
select ops.set_product_details(1, ''https://img.example/1.png'', ''Steam'', ''{DE,AT}'');
select ops.set_product_text(1, ''en'', ''Pearls buy ships.'', redeem => ''They arrive in the game.'');
Off sale, and back: select ops.set_in_stock(1, false);'),
  ('lists', 'import_products import_prices imports import_lines apply_import discard_import',
    'A list comes from a file of CSV whose first line names the columns, in psql, in one line:
\copy ops.import_products (sku, supplier, cost) from ''list.csv'' with (format csv, header match)
\copy ops.import_prices (list, product_id, price) from ''prices.csv'' with (format csv, header match)
It changes nothing yet. What it would change:
select * from ops.import_lines() where change <> ''unchanged'';
Make the changes, or drop the list:
select ops.apply_import();
select ops.discard_import(17);
docs/operations/catalog.md says more.'),
  ('stock', 'stock load_codes import_codes stock_batches stock_orders withdraw_codes set_stock_threshold',
    'Codes of our own are sold without any supplier''s service:
select ops.upsert_supplier(''vault'', protocol => ''stock'');
select ops.upsert_offer(1, ''vault'', ''pearls-60'', cost => 70);
\copy ops.import_codes (supplier, sku, code) from ''codes.csv'' with (format csv, header match)
select ops.apply_import();
What is left, and for how long: select * from ops.stock;
A batch that is not good: select ops.withdraw_codes(''march'', ''revoked by the seller'');
docs/operations/stock.md says more.'),
  ('prices', 'price_lists prices upsert_price_list set_list_price set_account_list',
    'A list has a discount, and prices for single products, also from a quantity on:
select ops.upsert_price_list(''gold'', 0.05);
select ops.set_list_price(''gold'', 1, 85);
select ops.set_list_price(''gold'', 1, 80, min_quantity => 50);
select ops.set_account_list(2, ''gold'');
What a partner pays, and what that leaves: select * from ops.prices(2);'),
  ('suppliers', 'suppliers supplier_health check_supplier supplier_attempts upsert_supplier'
    ' set_supplier_active'
    ' set_supplier_paused set_supplier_limits set_supplier_sync sync_supplier offer_changes set_max_cost'
    ' set_min_margin rates set_rate',
    'During a pause new items go to other suppliers, or wait:
select ops.set_supplier_paused(''first'', ''maintenance until 5'');
select ops.set_supplier_paused(''first'', null);
To close a supplier, and products that only it offers:
select ops.set_supplier_active(''first'', false);
Its answers: select * from ops.supplier_attempts where supplier = ''first'' order by attempt_id desc limit 20;'),
  ('watching', 'today attention acknowledge alerts audit audit_all housekeeping queue queue_lengths worker_pools',
    'What needs you: select * from ops.attention;
While all is well ops.audit has no row.
The latest alerts: select * from ops.alerts order by last_at desc limit 20;
What the workers do next: select * from ops.queue order by run_at limit 20;'),
  ('recovery', 'begin_recovery recovery send_item release_events end_recovery confirm_origin',
    'After a restore, before a worker runs, and after a failover that lost orders;
docs/operations/backup.md says more:
select * from ops.begin_recovery(''the dump of Monday'');
select * from ops.recovery;
select ops.release_events(dry_run => false);
select ops.end_recovery();'),
  ('operators', 'operator_log add_operator set_amount_limit set_approval trust_supplier_host',
    'Each person has a login with the roles of his work: operator (all of these), support, trade, finance.
The login that migrates the database creates it:
select ops.add_operator(''anna'', ''{support,finance}'');
Who did what: select * from ops.operator_log order by log_id desc limit 20;')
) as t (task, names, introduction);
comment on view core.help_tasks is
  'The tasks of ops.help in order, with the functions and views of each and statements to copy.';
