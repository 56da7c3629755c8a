import type postgres from 'postgres'
import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makeEvent } from '../../support/events.ts'
import { operatorOf, refusals } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makePartner } from '../../support/partner.ts'
import { undone } from '../../support/sql/transactions.ts'

// psql shows an operator the message and the hint.
const database = testDatabase({ catalog: true })
const sql = operatorOf(database)
const errorOf = (query: PromiseLike<unknown>) =>
  Promise.resolve(query).then(
    () => undefined,
    (error: postgres.PostgresError) => error,
  )
/** What stands for `$item` and `$event` in a call. */
const ids = { item: '', event: '' }

beforeAll(async () => {
  const partner = await makePartner(database.sql, { name: 'Acme', balance: 50 })
  ids.event = await makeEvent(database.sql, partner)
  ids.item = (await place(database.sql, partner)).body.items[0]?.id ?? ''
  await database.sql`update supply.order_items set sent_at = now() where id = ${ids.item}`
  await database.sql`select ops.create_account('Tokyo', currency => 'JPY')`
})

type Refusal = [call: string, says: RegExp]

/** Calls with each of these values in place of `?`. */
const each = (call: string, says: RegExp, values: (string | null)[]): Refusal[] =>
  values.map((value) => [call.replace('?', value === null ? 'null' : `'${value}'`), says])

const refused: { [reason in keyof typeof refusals]?: Refusal[] } = {
  wrongArgument: [
    [`create_account(' ')`, /name/],
    [`create_account('A', 'shop')`, /kind/],
    [`create_account('A', null)`, /kind/],
    [`create_account('A', 'supply', 'sandbox')`, /mode/],
    ...each(`create_account('A', currency => ?)`, /currency/, ['rub', 'KWD']),
    [`set_account_active('Acme', null)`, /active/],
    [`set_low_balance_threshold('Acme', -1)`, /./],
    ...each(`deposit('Acme', ?, 'x')`, /./, ['-1', '0.001', '10.005', '100000000000.01', 'NaN', 'Infinity']),
    [`deposit('Acme', 0, 'x')`, /ops\.adjust/],
    [`deposit('Tokyo', 10.5, 'x')`, /./],
    [`adjust('Tokyo', -0.5, 'x', 'why')`, /./],
    ...each(`deposit('Acme', 1, ?)`, /reference must have 1 to 200 characters/, [' ', null]),
    ...each(`adjust('Acme', ?, 'x', 'why')`, /./, ['0', '-0.005']),
    ...each(`adjust('Acme', 1, 'x', ?)`, /note/, [' ', null]),
    [`set_rate_limit('203.0.113.0/24', 0)`, /./],
    [`set_rate_limit('::ffff:203.0.113.0/120', 10)`, /203\.0\.113\.0\/24/],
    [`set_rate_limit(null, 10)`, /./],
    [`issue_key('Acme', 'admin')`, /ops\.help\('issue_key'\)/],
    [`issue_key('Acme', label => ' ')`, /label/],
    ...each(`issue_key('Acme', allowed_ips => ?)`, /./, ['{}', '{10.0.0.0/8,null}']),
    ...each(`issue_key('Acme', allowed_ips => ?)`, /IPv4/, [
      ...['{::ffff:10.0.0.0/104}', '{203.0.113.0/24,::ffff:198.51.100.7}', '{::ffff:0:0/96}'],
    ]),
    ...each(`issue_key('Acme', allowed_origins => ?)`, /origin/, [
      ...['{}', '{""}', '{shop.example,null}', '{shop.example/path}', '{https://shop.example/}', '{*.}', '{*}'],
      ...['{https://user@shop.example}', '{shop.example:8443}', '{a.*.example}', '{https://*.shop.example}'],
      ...['{shop..example}', '{магазин.рф}', '{https://shop.example:}', '{https://shop.example:65536}'],
      ...['{https://shop.example:0443}', '{shop.example.}', '{*.[::1]}', '{[::g]}', `{${'a.'.repeat(150)}example}`],
    ]),
    [`set_key(key_id, null, '{}', null) from ops.api_keys`, /origin/],
    [`set_key(key_id, null, null, '{}') from ops.api_keys`, /./],
    [`rotate_key(key_id, interval '-1 hour') from ops.api_keys`, /./],
    [`onboard('Poor', 0, 'x')`, /./],
    ...each(`send_test_event('Acme', ?)`, /./, [null, 'hooks.example', 'ftp://hooks.example/', 'https://a b/']),
    ...each(`upsert_game(?, 'A')`, /slug/, ['mecha arena', '-a', null]),
    [`upsert_game('a', ' ')`, /name/],
    [`upsert_game('a', 'A', 'javascript:alert(1)')`, /./],
    [`upsert_product(0, 'space-trader', 'P', 1, 'RUB', 'key')`, /./],
    [`upsert_product(null, 'space-trader', 'P', 99.5, 'JPY', 'key')`, /at most 0 decimals/],
    [
      `upsert_product(101, 'space-trader', 'P', 89, 'RUB', 'id_only', amount_value => 1e13)`,
      /from 0.000001 to 1000000000000/,
    ],
    [`upsert_product(null, 'space-trader', 'P', 1, 'KWD', 'key')`, /./],
    [`upsert_product(1, 'space-trader', 'P', 1, 'RUB', 'id_only', '[{}]')`, /./],
    ...each(`set_price(101, ?)`, /price/, ['0', '10.505', 'NaN', null]),
    [`set_in_stock(101, null)`, /./],
    ...each(`upsert_supplier('a', ?, 'token')`, /./, [
      ...['ftp://a.example', 'https://user:pass@a.example', 'https://a.example/?x=1', 'https://a.example/#top'],
      ...['https://', null],
    ]),
    [`upsert_supplier('first one', 'https://a.example', 'token')`, /./],
    ...each(`upsert_supplier('a', 'https://a.example', ?)`, /./, [...['to ken', '', 'токен', 'env:lower', 'env:']]),
    ...each(`upsert_supplier('a', 'https://a.example', 'token', ?)`, /./, ['HTTP', 'telepathy']),
    [`upsert_supplier('first', 'https://a.example', 'token', client_id => 'us')`, /./],
    [`set_supplier_active('first', null)`, /./],
    [`set_supplier_paused('first', ' ')`, /reason/],
    ...each(`set_supplier_limits('first', ?, null)`, /./, ['0']),
    ...each(`set_supplier_limits('first', null, ?)`, /./, ['0']),
    [`set_supplier_sync('first', '1 second')`, /./],
    [`upsert_offer(101, 'first', ' ')`, /sku/],
    ...each(`upsert_offer(101, 'first', 'sku', ?)`, /cost/, ['-1', '1.005']),
    [`upsert_offer(101, 'first', 'sku', 1, currency => 'eur')`, /currency/],
    ...each(`set_min_margin(?)`, /./, ['-1.1', '1.1', '0.00001', 'NaN']),
    ...each(`set_max_cost(101, 'first', ?)`, /./, ['0', '-1', '0.001', 'NaN']),
    [`load_catalog('{"product": []}')`, /ops\.help\('load_catalog'\)/],
    [`load_catalog('{"games": [{"slug": "A b", "name": "A"}]}')`, /./],
    [`redeliver_all('Acme', null)`, /./],
    [`redeliver_all('Acme', now(), null)`, /./],
    [`partner_orders('Acme', 0)`, /limit/],
    ...each(`find(?)`, /./, [' ', '', null]),
    [`acknowledge(gen_random_uuid(), ' ')`, /note/],
    [`begin_recovery('')`, /./],
    [`statement('Acme', now(), now() - interval '1 s')`, /from_at must not be after to_at/],
    [`statement('Acme', 'January')`, /./],
  ],
  unknown: [
    [`deposit(999999, 1, 'x')`, /there is no account 999999.*ops\.accounts/s],
    [`set_account_active('nobody', false)`, /no account is named 'nobody'.*ops\.accounts/s],
    [`webhook_secret(999999)`, /ops\.accounts/],
    [`issue_key(999999)`, /ops\.accounts/],
    [`send_test_event(999999, 'https://hooks.example/x')`, /ops\.accounts/],
    [`redeliver_all(999999, now())`, /ops\.accounts/],
    [`deliver_all(999999)`, /ops\.accounts/],
    [`statement(999999)`, /there is no account 999999/],
    [`partner_orders('nobody')`, /ops\.accounts/],
    [`release_events(999999)`, /ops\.accounts/],
    ...['revoke_key(999999)', 'rotate_key(999999)', 'set_key(999999, null, null, null)'].map(
      (call): Refusal => [call, /ops\.api_keys/],
    ),
    ...['set_key_ips', 'set_key_origins', 'set_key_expiry'].map(
      (name): Refusal => [`${name}(999999, null)`, /ops\.api_keys/],
    ),
    [`set_key_expiry('nobody', now())`, /ops\.api_keys/],
    [`replace_leaked_key('svc_live_unknown')`, /./],
    [`set_price(999999, 1)`, /ops\.products/],
    [`set_price('no such product', 5)`, /ops\.products/],
    [`set_in_stock(999999, true)`, /ops\.products/],
    [`set_min_margin(0.1, 9999)`, /ops\.products/],
    [`set_max_cost(9999, 'first', 1)`, /./],
    [`upsert_product(null, 'chess', 'P', 1, 'RUB', 'key')`, /./],
    [`upsert_offer(101, 'nobody', 'sku')`, /ops\.suppliers/],
    [`upsert_offer(999999, 'first', 'sku')`, /ops\.products/],
    [`remove_offer(101, 'nobody')`, /./],
    [`set_supplier_active('nobody', true)`, /ops\.suppliers/],
    [`set_supplier_paused('nobody', 'maintenance')`, /ops\.suppliers/],
    [`set_supplier_limits('nobody', 1, 1)`, /ops\.suppliers/],
    [`set_supplier_sync('nobody', '1 hour')`, /ops\.suppliers/],
    [`sync_supplier('nobody')`, /ops\.suppliers/],
    [`redeliver(gen_random_uuid())`, /ops\.events/],
    [`deliver_now(gen_random_uuid())`, /ops\.events/],
    [`poll_now(gen_random_uuid())`, /ops\.order_items/],
    [`settle_item(gen_random_uuid(), 'failed', reason => 'a test')`, /ops\.order_items/],
    [`refund_item(gen_random_uuid(), 1, 'x', 'why')`, /ops\.order_items/],
    [`acknowledge(gen_random_uuid(), 'seen')`, /ops\.alerts/],
    [`acknowledge('the first', 'seen')`, /ops\.alerts/],
  ],
  wrongState: [
    [`redeliver('$event')`, /is still being delivered: it is waiting, after 0 of 9 attempts.*deliver_now/s],
    [`settle_item('$item', 'failed', reason => 'a test')`, /ops\.poll_now/],
    [`set_supplier_sync('first', '1 hour')`, /./],
    [`end_recovery()`, /./],
  ],
  taken: [
    [`onboard(' acme ', 10, 'a')`, /account \d+ has the name 'acme' already.*allow_duplicate => true/s],
    [`deposit('Acme', 1, 'FIRST deposit')`, /./],
    [
      `adjust('Acme', 50, 'first deposit', 'again')`,
      /reference 'first deposit' of account \d+ \(Acme\) is taken already: .* booked 50\.00 RUB under it on 20.*, as a deposit.*ops\.correct_deposit/s,
    ],
  ],
  belowZero: [[`adjust('Acme', -50.01, 'x', 'too much')`, /has \d+\.\d\d RUB: -50\.01 would bring it below zero/]],
  several: [[`set_in_stock('credits', false)`, /Give one of these/]],
}

const rows = Object.entries(refused).flatMap(([reason, calls]) =>
  calls.map(([call, says]) => [`ops.${call}`, reason, says] as const),
)

test.each(rows)('%s is refused as %s, with a hint', async (call, reason, says) => {
  const statement = `select ${call.replace(/\$(item|event)/, (_, name: 'item' | 'event') => ids[name])}`
  const error = await errorOf(sql().unsafe(statement))
  expect(error).toMatchObject({ ...refusals[reason as keyof typeof refusals], hint: expect.any(String) })
  expect(`${error?.message} ${error?.hint}`).toMatch(says)
})

test('every function of operators that refuses nulls has a hint', async () => {
  const functions = await database.sql<{ name: string; call: string }[]>`
    select p.proname as name, format('select * from ops.%I(%s)', p.proname,
      (select string_agg('null::' || format_type(t, null), ', ' order by place)
       from unnest(p.proargtypes::oid[]) with ordinality as a (t, place))) as call
    from pg_proc p
    where p.pronamespace = 'ops'::regnamespace and has_function_privilege(${sql.login}, p.oid, 'execute')`
  const refused: { name: string; error: postgres.PostgresError }[] = []
  for (const { name, call } of functions) {
    const error = await errorOf(undone(sql(), (transaction) => transaction.unsafe(call)))
    if (error !== undefined) refused.push({ name, error })
  }
  expect(refused.filter(({ error }) => !error.hint)).toEqual([])
  expect(refused.length).toBeGreaterThan(20)
})
