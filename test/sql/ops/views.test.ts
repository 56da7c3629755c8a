import { describe, expect, test } from 'vitest'
import { hiddenCharacter } from '../../../src/messages/hidden_characters.ts'
import { collectAlerts } from '../../support/alerts.ts'
import { answered } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed } from '../../support/items.ts'
import { refusals } from '../../support/operator.ts'
import { products } from '../../support/partner.ts'
import { unchecked } from '../../support/sql/transactions.ts'

const scene = itemTests()
const { sql: superuser, operator: sql, partner, order, keys, newEvent, attempt } = scene

const viewNames = async () => {
  const views = await superuser()<{ name: string }[]>`
    select relname::text as name from pg_class where relnamespace = 'ops'::regnamespace and relkind = 'v'`
  return views.map(({ name }) => name)
}

const money = 'numeric(14,2)'
const time = 'timestamp with time zone'
const documented: { [view: string]: string } = {
  accounts: `account_id bigint, name text, kind text, mode text, active boolean, currency text, balance ${money}, in_orders ${money}`,
  api_keys: `key_id bigint, account_id bigint, prefix text, last4 text, scope text, active boolean, expires_at ${time}, last_used_at ${time}`,
  orders: `order_code text, account_id bigint, external_order_id text, status text, outcome text, total_amount ${money}, refunded_amount ${money}, callback_url text, created_at ${time}, completed_at ${time}`,
  order_items: `item_id uuid, order_code text, product_id integer, product_name text, amount integer, price ${money}, status text, supplier text, error_code text, codes_delivered integer, next_check_at ${time}, stuck boolean`,
  events: `event_id uuid, order_code text, account_id bigint, event_type text, callback_url text, state text, attempts integer, next_attempt_at ${time}, created_at ${time}`,
  delivery_attempts: `event_id uuid, attempt integer, started_at ${time}, finished_at ${time}, status_code integer, error text, outcome text, retry_after_seconds integer, next_attempt_at ${time}`,
  dead_letters: `event_id uuid, order_code text, account_id bigint, event_type text, callback_url text, reason text, attempts integer, dead_at ${time}`,
  supplier_attempts: 'attempt_id bigint, item_id uuid, order_code text, supplier text',
  stuck_items: 'item_id uuid, order_code text, account_id bigint',
  ledger: `account_id bigint, seq bigint, type text, amount ${money}, balance_after ${money}`,
  alerts: 'alert_id uuid, cause text, message text, count integer',
  queue: 'job_id bigint, task text, subject uuid, order_code text',
  audit: 'check_name text, detail text',
  supplier_health: `supplier text, calls_5m integer, failures_5m integer, unknowns_5m integer, p50_ms integer, p95_ms integer, open_items integer, oldest_open ${time}, last_good_at ${time}, state text`,
  attention: `since ${time}, what text, subject text, detail text, remedy text`,
}

describe('the operators read', () => {
  test.each(Object.entries(documented))('ops.%s with its documented columns and types', async (view, columns) => {
    const rows = await superuser()`
      select attname || ' ' || format_type(atttypid, atttypmod) as column
      from pg_attribute where attrelid = ${`ops.${view}`}::regclass and attnum > 0 order by attnum`
    const wanted = columns.split(/, (?=[a-z])/)
    expect(rows.slice(0, wanted.length).map(({ column }) => column)).toEqual(wanted)
  })

  test('every view, and no table', async () => {
    const views = await viewNames()
    expect(views.length).toBeGreaterThanOrEqual(Object.keys(documented).length)
    for (const name of views) await sql()`select * from ops.${sql()(name)} limit 1`
    await expect(sql()`select * from supply.api_keys`).rejects.toMatchObject(refusals.forbidden)
    await expect(sql()`update ops.accounts set balance = 1`).rejects.toMatchObject(refusals.forbidden)
    await expect(sql()`select core.post_entries('[]')`).rejects.toMatchObject(refusals.forbidden)
  })
})

test('ops.accounts.in_orders is the charge of all open orders', async () => {
  const { accountId } = partner()
  const inOrders = async () =>
    (await sql()`select in_orders, balance from ops.accounts where account_id = ${accountId}`)[0]
  expect(await inOrders()).toEqual({ in_orders: '0.00', balance: '1000.00' })
  const first = await order()
  const second = await order({ items: [{ productId: products.topUp, quantity: 2 }] })
  expect(await inOrders()).toEqual({ in_orders: '31.50', balance: '968.50' })
  await answer(superuser(), first.item, completed())
  await answer(superuser(), second.item, failed())
  expect(await inOrders()).toEqual({ in_orders: '0.00', balance: '989.50' })
  expect(await sql()`select * from ops.orders where order_code = ${second.code}`).toMatchObject([
    { status: 'failed', outcome: 'none', refunded_amount: '21.00' },
  ])
  const ledger = await sql()`
    select type, amount, order_code, item_id from ops.ledger where account_id = ${accountId} order by seq desc`
  expect(ledger[0]).toEqual({
    ...{ type: 'order_refund', amount: '21.00', order_code: second.code, item_id: second.item },
  })
})

describe('an event', () => {
  test('shows its attempts, and its reason in ops.dead_letters', async () => {
    const id = await newEvent()
    for (const status of [503, 302]) await attempt(id, answered(status))
    const attempts = await sql()`
      select attempt, round, status_code, outcome from ops.delivery_attempts where event_id = ${id} order by attempt`
    expect([...attempts]).toEqual([
      { attempt: 1, round: 1, status_code: 503, outcome: 'retry' },
      { attempt: 2, round: 1, status_code: 302, outcome: 'dead' },
    ])
    expect(await sql()`select * from ops.dead_letters where event_id = ${id}`).toMatchObject([
      { reason: 'http_3xx', attempts: 2, status_code: 302, callback_url: 'https://hooks.example/x' },
    ])
  })
})

describe('ops.queue', () => {
  test('shows the subject of each job', async () => {
    const { code, item } = await order()
    expect(await sql()`select * from ops.queue where subject = ${item}`).toMatchObject([
      { task: 'call_supplier', order_code: code, attempts: 0, locked_by: null, last_error: null },
    ])
    const event = await newEvent()
    const [row] = await sql()`select order_code from ops.events where event_id = ${event}`
    expect(await sql()`select * from ops.queue where subject = ${event}`).toMatchObject([
      { task: 'deliver_webhook', order_code: row?.order_code, key: `deliver_webhook:${event}` },
    ])
    await answer(superuser(), (await keys(2)).item, completed({ codes: ['A'] }))
    await collectAlerts(superuser())
    const alerts = await sql()`
      select cause, order_code from ops.queue join ops.alerts as a on a.alert_id = ops.queue.subject where cause like 'item_%'`
    expect(alerts).toContainEqual({ cause: 'item_held:first', order_code: null })
    await superuser()`select graphile_worker.add_job('call_supplier', '{"id": "no item"}')`
    expect(await sql()`select subject, order_code from ops.queue where subject is null`).toEqual([
      { subject: null, order_code: null },
    ])
  })

  test('has its jobs counted by pool in ops.worker_pools', async () => {
    await superuser()`select work.heartbeat(array['pool-1'], 0)`
    await superuser()`
      update graphile_worker._private_jobs set locked_by = 'pool-1', locked_at = now()
      where id = (select min(id) from graphile_worker._private_jobs)`
    expect(await sql()`select pool_id, jobs from ops.worker_pools`).toMatchObject([{ pool_id: 'pool-1', jobs: 1 }])
  })
})

test('no view of operators shows a whole key, secret or token', async () => {
  await answer(superuser(), (await keys(1)).item, completed({ codes: ['THE-DELIVERED-KEY'] }))
  const held = await keys(2)
  await answer(superuser(), held.item, completed({ codes: ['THE-KEPT-KEY'] }))
  await sql()`select ops.settle_item(${held.item}, 'failed', array['THE-KEPT-KEY'], reason => 'a test')`
  await attempt(await newEvent(), answered(500))
  const secret = '5'.repeat(64)
  await superuser()`select work.keep_webhook_secret(${partner().accountId}, ${secret})`
  await superuser()`update supply.suppliers set token = 'the-token-of-first'`
  for (const name of await viewNames()) {
    const shown = JSON.stringify(await sql()`select * from ops.${sql()(name)}`)
    expect(shown, name).not.toMatch(/THE-(DELIVERED|KEPT)-KEY|the-token-of-first/)
    expect(shown, name).not.toContain(secret)
    expect(shown, name).not.toContain(partner().key)
  }
})

// The API refuses these characters; the database refuses them where operators look for a text.
test('texts of partners are shown without control characters and changes of direction', async () => {
  const { code } = await order()
  const hidden = 'shop\u001b[2J\u0085\u202eeikooc\u2066'
  const shown = 'shop␛[2J��eikooc�'
  await unchecked(superuser(), async (tx) => {
    await tx`update supply.orders set idempotency_key = ${hidden} where code = ${code}`
    await tx`
      update supply.order_items set delivery_data = ${tx.json({ player: hidden })}
      where order_id = (select id from supply.orders where code = ${code})`
  })
  const reads = [
    sql()`select * from ops.orders where idempotency_key = ${shown}`,
    sql()`select * from ops.order_items where order_code = ${code}`,
  ]
  for (const read of reads) {
    const values = (await read)
      .flatMap((row) => Object.values(row))
      .map((value) => (typeof value === 'string' ? value : String(JSON.stringify(value))))
    expect(values.filter((value) => value.includes('eikooc'))).not.toEqual([])
    expect(values.filter((value) => hiddenCharacter(value) !== undefined)).toEqual([])
  }
  for (const character of new Set(hidden.replaceAll(/[a-z[2J]/g, '')))
    await expect(
      superuser()`update supply.orders set external_order_id = ${`shop${character}`} where code = ${code}`,
    ).rejects.toThrow('orders_external_order_id_check')
})
