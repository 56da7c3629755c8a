import type postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { operatorOf } from '../support/operator.ts'
import { type Partner, products } from '../support/partner.ts'
import { type ScriptedReceiver, startScriptedReceiver, taken } from '../support/servers/scripted_receiver.ts'
import { type ScriptedSupplier, startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { makeStock } from '../support/stock.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'

// An open transaction holds rows of one partner and one supplier while a service works for all.
const database = testDatabase({ catalog: true })
const sql = () => database.sql
const operator = operatorOf(database)
const [heldProduct, heldKeys, heldStock] = [400, 401, 402]
let service: WholeService
let supplier: ScriptedSupplier
let receiver: ScriptedReceiver
let held: Partner
let other: Partner
let counter = 0

/** Rows that each worker writes for itself, and which are no tenant's: with them a worker counts as dead. */
const ofProcesses = ['worker_pools', 'periodic_tasks', 'read_marks']
/** A statement waits for these for 50 ms at most: transactions of one account follow each other there. */
const waitBriefly = ['delivery_slots', 'result_marks']
const clients = { held: '192.0.2.1', other: '192.0.2.2' }

beforeAll(async () => {
  service = await startWholeService(database, { trustProxyHops: 1 })
  supplier = await startScriptedSupplier()
  receiver = await startScriptedReceiver()
  service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
  supplier.setAnswer(({ nth, reference }) => {
    const status = nth === 1 ? 'processing' : 'completed'
    return { status: 200, json: { status, codes: [`code of ${reference}`] } }
  })
  receiver.answer(() => taken)
  await sql()`select ops.upsert_supplier('held', ${supplier.url}, ${supplier.token})`
  await sql()`select ops.upsert_game('held-game', 'Held')`
  await sql()`select ops.upsert_product(${heldProduct}, 'held-game', 'Held', 1, 'RUB', 'id_only', '[]')`
  await sql()`select ops.upsert_product(${heldKeys}, 'held-game', 'Held keys', 1, 'RUB', 'key')`
  await sql()`select ops.upsert_offer(${heldProduct}, 'held', 'x'), ops.upsert_offer(${heldKeys}, 'held', 'x')`
  await sql()`select ops.upsert_product(${heldStock}, 'held-game', 'Held stock', 9, 'RUB', 'key')`
  await makeStock(sql(), { code: 'held-stock', sku: 'held', productId: heldStock })
  await sql()`select ops.load_codes('held-stock', 'held', array(select 'held code ' || n from generate_series(1, 300) n))`
  await sql()`select ops.set_supplier_limits('held', 8, 6000)`
  held = await service.partner({ balance: 10_000 })
  other = await service.partner({ balance: 10_000 })
  await sql()`select ops.set_spending_limit(${held.accountId}, 100_000), ops.upsert_price_list('held', 0.1)`
  await sql()`select ops.set_list_price('held'::text, ${heldProduct}, 0.95)`
  await sql()`select ops.set_account_list(${held.accountId}::bigint, 'held'::text)`
  await sql()`select ops.set_rate_limit(${`${clients.held}/32`}, 10_000), ops.set_stock_threshold('held-stock', 'held', 1)`
  await sql()`select ops.set_product_text(${heldProduct}, 'en', 'a text')`
})
afterAll(async () => {
  await service.close()
  await supplier.close()
  await receiver.close()
})

function order(partner: Partner, client: keyof typeof clients, productId: number) {
  counter += 1
  const items = [{ productId, deliveryData: productId === products.topUp ? { gameUserId: '12345' } : {} }]
  return service.api.post('/b2b/orders', {
    key: partner.key,
    headers: { 'x-forwarded-for': clients[client] },
    body: { externalOrderId: `order-${counter}`, callbackUrl: receiver.url, items },
  })
}

async function delivered({ accountId }: Partner): Promise<number> {
  const [row] = await sql()`
    select count(*)::int as n from supply.events where account_id = ${accountId} and state = 'delivered'`
  return row?.n
}

/**
 * Begins a transaction that locks rows, has both partners order, and waits until the webhooks of the other one came.
 * Returns the statements that waited for the transaction meanwhile.
 */
async function meanwhile(holder: postgres.ReservedSql, hold: () => PromiseLike<unknown[]>): Promise<string[]> {
  const waited = new Set<string>()
  await holder`begin`
  try {
    const [session] = await holder`select pg_backend_pid() as pid`
    // A table without rows holds nothing up.
    if ((await hold()).length === 0) return []
    const before = await delivered(other)
    const placed: Promise<unknown>[] = []
    for (let n = 0; n < 3; n += 1) {
      placed.push(order(held, 'held', [heldProduct, heldKeys, heldStock][n] ?? heldProduct).catch(() => {}))
      placed.push(order(held, 'held', products.topUp).catch(() => {}))
      placed.push(order(other, 'other', products.topUp))
    }
    const look = async () => {
      const rows = await sql()`
        select query from pg_stat_activity where ${session?.pid} = any (pg_blocking_pids(pid))`
      for (const { query } of rows) waited.add(String(query).replace(/\s+/g, ' ').slice(0, 100))
      return (await delivered(other)) - before
    }
    await expect
      .poll(look, { interval: 5, timeout: 10_000 })
      .toBe(3)
      .catch(() => waited.add('not all were delivered'))
  } finally {
    await holder`rollback`
  }
  return [...waited]
}

/** A condition on the rows of a table that belong to the held partner or supplier; all rows where none of them shows. */
async function ownedRows(table: string): Promise<string> {
  const columns = (
    await sql()`
      select a.attname as name from pg_attribute a
      where a.attrelid = ${`supply.${table}`}::regclass and a.attnum > 0 and not a.attisdropped`
  ).map(({ name }) => name as string)
  const orders = `select id from supply.orders where account_id = ${held.accountId}`
  const items = `select id from supply.order_items where order_id in (${orders}) or supplier ~ '^held'`
  const events = `select id from supply.events where account_id = ${held.accountId}`
  const own: { [key: string]: string } = {
    accounts: `id = ${held.accountId}`,
    suppliers: `code ~ '^held'`,
    products: `game_id = (select id from supply.games where slug = 'held-game')`,
    games: `slug = 'held-game'`,
    rate_windows: `subject like '${clients.held}/%' or subject = '${held.accountId}'`,
  }
  const byColumn: { [column: string]: string } = {
    account_id: `account_id = ${held.accountId}`,
    supplier: `supplier ~ '^held'`,
    order_id: `order_id in (${orders})`,
    item_id: `item_id in (${items})`,
    event_id: `event_id::text in (select e.id::text from (${events}) as e)`,
    product_id: `product_id in (select id from supply.products where name ~ '^Held')`,
  }
  const conditions = columns.flatMap((column) => byColumn[column] ?? [])
  return own[table] ?? (conditions.length > 0 ? conditions.join(' or ') : 'true')
}

test('rows of each table, held by the owner, delay no order and no webhook of others', async () => {
  const tables = await sql()`
    select relname as name from pg_class where relnamespace = 'supply'::regnamespace and relkind = 'r'
      and relname <> all (${ofProcesses}) order by relname`
  await order(held, 'held', heldProduct)
  await order(other, 'other', products.topUp)
  await expect.poll(() => delivered(held)).toBe(1)
  await expect.poll(() => delivered(other)).toBe(1)
  const holder = await sql().reserve()
  const waits: { [table: string]: string[] } = {}
  for (const { name } of tables) {
    const rows = await ownedRows(name)
    const waited = await meanwhile(holder, () => holder.unsafe(`select from supply.${name} where ${rows} for update`))
    if (waited.length > 0 && !waitBriefly.includes(name)) waits[name] = waited
  }
  holder.release()
  expect(waits).toEqual({})
})

test('what an operator has changed and not committed delays no order and no webhook of others', async () => {
  const waits: { [call: string]: string[] } = {}
  const holder = await operator().reserve()
  for (const call of [
    `set_supplier_limits('held', 9, 6000)`,
    `set_supplier_paused('held', 'a test')`,
    `set_supplier_active('held', false)`,
    `upsert_supplier('held', 'http://127.0.0.1:9', 'token')`,
    `upsert_product(${heldProduct}, 'held-game', 'Held', 1.1, 'RUB', 'id_only', '[]')`,
    `upsert_offer(${heldProduct}, 'held', 'y')`,
    `set_min_margin(0.1, ${heldProduct})`,
    `deposit(${held.accountId}, 1, 'a deposit')`,
    `issue_key(${held.accountId})`,
    `poll_all('held')`,
    `check_supplier('held')`,
    `set_rate_limit('${clients.held}/32', 100)`,
    `set_rate('USD', 'RUB', 90, now() + interval '1 day')`,
    `redeliver_all(${held.accountId}, now() - interval '1 day')`,
    `replace_leaked_key('${held.key}')`,
    `set_spending_limit(${held.accountId}, 90000)`,
    `set_list_price('held'::text, ${heldProduct}, 0.9)`,
    `load_codes('held-stock', 'held', '{one code more}')`,
    `load_catalog('{"products": [{"id": ${heldProduct}, "game_slug": "held-game", "name": "Held, renamed", "price": 1.1,
      "currency": "RUB", "delivery_type": "id_only"}]}')`,
    `close_month(to_char(now() - interval '1 month', 'YYYY-MM'))`,
  ]) {
    const waited = await meanwhile(holder, () => holder.unsafe(`select ops.${call}`))
    if (waited.length > 0) waits[call] = waited
  }
  holder.release()
  expect(waits).toEqual({})
})
