import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import type { Bench } from './baseline.ts'
import type { Table } from './figures.ts'
import { assertSound, type StageDatabase } from './stage.ts'
import { residentMemory } from './usage.ts'
import { openShop, withReceivers } from './whole.ts'

const share = 0.05
const slowProductId = 3
const itemsOfAnOrder = 100
const idleSeconds = 5
/** How long the supplier takes for an item once it answers again, in milliseconds. */
const answerMs = 50

/** How long orders at the healthy supplier took from their acceptance to their call, in milliseconds. */
type Phase = { name: string; p50: number; p95: number; calls: number }

export type Backlog = {
  perSecond: number
  items: number
  phases: Phase[]
  /** Transactions a second while only the items of the other supplier wait, without and with them. */
  idleTransactions: { without: number; hanging: number; processing: number }
  /** Items that were settled a second while the supplier recovered, and the most calls to it at once. */
  recovered: { perSecond: number; mostCalls: number }
  /** The most memory that the worker had before and after, in MB. */
  workerMb: { before: number; after: number }
  /** How long these views took with all items of a paused supplier waiting, in milliseconds. */
  viewMs: { [view: string]: number }
}

/**
 * What orders at a healthy supplier notice of another one that hangs, only says `processing`, and recovers, with many
 * items that wait for it.
 */
export async function measureBacklog({ stage, ms, plainRate, backlogItems: items }: Bench): Promise<Backlog> {
  const slow = await startSlowSupplier()
  const { database, service, accounts } = await openShop(stage, 20)
  const { sql } = database
  await sql`select ops.upsert_supplier('slow', ${`http://127.0.0.1:${slow.port}`}, 'token')`
  await sql`select ops.upsert_product(${slowProductId}, 'bench', 'Slow', 1, 'RUB', 'id_only', '[]')`
  await sql`select ops.upsert_offer(${slowProductId}, 'slow', 'sku')`
  const perSecond = plainRate * share
  const phases: Phase[] = []
  let accepted = 0

  async function measure(name: string): Promise<void> {
    const [from] = await sql`select clock_timestamp() as at`
    const run = { shoppers: withReceivers(accounts, stage), pace: { perSecond }, untilWebhook: false, warmUpMs: ms(1) }
    accepted += (await stage.orders(service, { ...run, ms: ms(6) })).accepted
    await sleep(500)
    const [row] = await sql`
      select percentile_disc(0.5) within group (order by w.ms) as p50, percentile_disc(0.95) within group (order by w.ms) as p95,
        count(w.called_at)::int as calls
      from (
        select a.started_at as called_at,
          extract(epoch from coalesce(a.started_at, clock_timestamp()) - o.created_at)::float8 * 1000 as ms
        from supply.orders o join supply.order_items i on i.order_id = o.id
        left join supply.supplier_attempts a on a.item_id = i.id and a.method = 'put'
        where o.created_at > ${from?.at} and i.supplier = 'bench') as w`
    phases.push({ name, p50: row?.p50, p95: row?.p95, calls: row?.calls })
  }
  const fill = async () => {
    accepted += await placeSlowOrders(database, accounts[0]?.accountId ?? 0, items)
  }
  const open = async () => {
    const [row] = await sql`
      select count(*)::int as n from supply.order_items where supplier = 'slow' and completed_at is null`
    return Number(row?.n)
  }
  const unsent = async () => {
    const [row] = await sql`
      select count(*)::int as n from supply.order_items where supplier = 'slow' and limited_rank = 0`
    return Number(row?.n)
  }
  const recover = async () => {
    slow.answer('completed')
    const [before, began] = [await open(), performance.now()]
    while ((await open()) > 0) await sleep(500)
    return (before / (performance.now() - began)) * 1000
  }

  await measure('alone')
  const without = await transactionsASecond(sql)
  slow.answer('hang')
  const before = residentMemory(service.pids.worker ?? 0)
  await fill()
  await measure('beside items of a supplier that hangs')
  const hanging = await transactionsASecond(sql)
  slow.answer('completed')
  await measure('while it recovers')
  const rate = await recover()
  const after = residentMemory(service.pids.worker ?? 0)

  slow.answer('processing')
  await fill()
  while ((await unsent()) > 0) await sleep(500)
  await measure('beside items of a supplier that says processing')
  const processing = await transactionsASecond(sql)
  await sql`select ops.poll_all('slow')`
  await measure('after ops.poll_all')
  await sql`select ops.begin_recovery('bench')`
  await measure('after ops.begin_recovery')
  await recover()
  await sql`select ops.end_recovery()`.catch(() => {})
  await sql`select ops.set_supplier_paused('slow', 'bench')`
  await fill()
  const viewMs: Backlog['viewMs'] = {}
  for (const view of ['attention', 'queue', 'audit']) {
    const began = performance.now()
    await sql`select count(*) from ops.${sql(view)}`
    viewMs[view] = performance.now() - began
  }
  await assertSound(sql, accepted)
  await service.stop()
  await database.drop()
  slow.close()
  return {
    perSecond,
    items,
    phases,
    idleTransactions: { without, hanging, processing },
    recovered: { perSecond: rate, mostCalls: slow.mostCalls() },
    workerMb: { before, after },
    viewMs,
  }
}

type Mode = 'hang' | 'processing' | 'completed'

/** A supplier that never answers, or says about each item that it is being processed, or completes it. */
async function startSlowSupplier() {
  let mode: Mode = 'hang'
  let calls = 0
  let most = 0
  const held = new Set<ServerResponse>()
  const say = (response: ServerResponse) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ status: mode }))
  }
  const server = createServer((request, response) => {
    calls += 1
    most = Math.max(most, calls)
    response.on('close', () => {
      calls -= 1
      held.delete(response)
    })
    request.resume()
    if (mode === 'hang') held.add(response)
    else setTimeout(() => say(response), answerMs)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    mostCalls: () => most,
    answer: (next: Mode) => {
      mode = next
      if (mode !== 'hang') for (const response of held) say(response)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Places orders with so many items of the slow supplier in all, and returns how many orders. */
async function placeSlowOrders({ sql }: StageDatabase, accountId: number, items: number): Promise<number> {
  const [key] = await sql`select key_id from ops.api_keys where account_id = ${accountId} limit 1`
  const count = Math.ceil(items / itemsOfAnOrder)
  const item = { product_id: slowProductId, quantity: 1, delivery_data: {}, max_price: null }
  for (let n = 0; n < count; n += 1) {
    const reference = crypto.randomUUID()
    const request = {
      ...{ ordinal: 1, account_id: accountId, key_id: key?.key_id, idempotency_key: reference },
      ...{ external_order_id: reference, items: Array(itemsOfAnOrder).fill(item) },
    }
    let result = 'busy'
    while (result === 'busy') {
      const [row] = await sql`select result from api.place_orders(${sql.json([request])})`
      result = row?.result
    }
    if (result !== 'created') throw new Error(`an order of the backlog was answered ${result}`)
  }
  return count
}

/** The transactions of the database that wrote, a second, while no orders are placed. */
async function transactionsASecond(sql: postgres.Sql): Promise<number> {
  const read = async () => {
    const [row] = await sql`select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as n`
    return Number(row?.n)
  }
  await sleep(1_000)
  const before = await read()
  await sleep(idleSeconds * 1_000)
  return ((await read()) - before) / idleSeconds
}

export function backlogTable(backlog: Backlog): Table {
  const { perSecond, items, phases, idleTransactions: idle, recovered, workerMb, viewMs } = backlog
  const alone = phases[0]?.p95 ?? Number.NaN
  return {
    title: `From the acceptance to the call at a healthy supplier, ${Math.round(perSecond)} orders a second, beside ${items} items of another`,
    columns: ['', 'p50 ms', 'p95 ms', 'p95 by alone', 'calls'],
    rows: phases.map(({ name, p50, p95, calls }) => [name, p50, p95, p95 / alone, calls]),
    notes: [
      `transactions a second without orders: ${idle.without.toFixed(1)}; while the items wait for a supplier that hangs ${idle.hanging.toFixed(1)}, that says processing ${idle.processing.toFixed(1)}`,
      `recovery: ${Math.round(recovered.perSecond)} items a second, at most ${recovered.mostCalls} calls at once; the worker's memory ${workerMb.before.toFixed(0)} → ${workerMb.after.toFixed(0)} MB`,
      `with the items of a paused supplier: ${Object.entries(viewMs)
        .map(([view, time]) => `ops.${view} ${time.toFixed(0)} ms`)
        .join(', ')}`,
    ],
  }
}
