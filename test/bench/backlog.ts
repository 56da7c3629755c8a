import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import type { Bench } from './baseline.ts'
import type { Table, Target } from './figures.ts'
import { assertSound, type StageDatabase } from './stage.ts'
import { memoryOf } from './usage.ts'
import { openShop, withReceivers } from './whole.ts'

const share = 0.05
const slowProductId = 3
const itemsOfAnOrder = 100
const idleSeconds = 5
/** How long the supplier takes for an item once it answers again, in milliseconds. */
const answerMs = 50
const slowSuppliers = 9
/** A tenth of the worker's SUPPLIER_CONCURRENCY. */
const placesOfSupplier = 100
/** What a supplier that hangs, or only says `processing`, may cost orders at another one; and one that recovers. */
const [mostWhileWaiting, mostWhileRecovering] = [1.5, 3]

/** How long orders at the healthy supplier took from their acceptance to their call, in milliseconds. */
type Phase = { scene: string; name: string; p50: number; p95: number; byAlone: number; calls: number }

export type Backlog = { perSecond: number; items: number; phases: Phase[]; targets: Target[] }

type Scene = Awaited<ReturnType<typeof openScene>>

/** What orders at a healthy supplier notice of others with many items that wait for them: one scene after another. */
export async function measureBacklog(bench: Bench): Promise<Backlog> {
  const found: Backlog = { perSecond: bench.plainRate * share, items: bench.backlogItems, phases: [], targets: [] }
  for (const name of bench.scenes) {
    const suppliers = name === 'nine' ? slowSuppliers : 1
    const scene = await openScene(bench, name, suppliers)
    await scene.measure('warm-up')
    scene.phases.pop()
    await scene.measure('alone')
    found.targets.push(...((await scenes[name]?.(scene, bench.backlogItems)) ?? []))
    const calls = scene.slow.mostCalls() / suppliers
    found.targets.push({ what: `${name}: calls at once to a supplier`, value: calls, unit: '', most: placesOfSupplier })
    found.phases.push(...scene.phases)
    await scene.close()
  }
  found.targets.unshift(...found.phases.filter(({ name }) => name !== 'alone').map(targetOf))
  return found
}

const targetOf = ({ scene, name, byAlone }: Phase): Target => ({
  what: `${scene}: p95 of the way to the call ${name}, by p95 alone`,
  value: byAlone,
  unit: '',
  most: name.startsWith('beside') ? mostWhileWaiting : mostWhileRecovering,
})

const scenes: { [name: string]: (scene: Scene, items: number) => Promise<Target[]> } = {
  hanging: async ({ slow, service, ...scene }, items) => {
    slow.answer('hang')
    const before = memoryOf(service.pids.worker, 'VmRSS')
    await scene.fill(items)
    await scene.measure('beside items of a supplier that hangs')
    const idle = await transactionsASecond(scene.sql)
    slow.answer('completed')
    await scene.measure('while it recovers')
    const perSecond = await scene.recover()
    const grown = memoryOf(service.pids.worker, 'VmRSS') - before
    return [
      { what: 'hanging: transactions while items wait', value: idle, unit: '/s', most: 20 },
      { what: 'hanging: recovery', value: perSecond, unit: '/s', least: 300 },
      { what: 'hanging: more memory of the worker', value: grown, unit: 'MB', most: 40 },
    ]
  },
  processing: async ({ slow, sql, ...scene }, items) => {
    slow.answer('processing')
    await scene.fill(items)
    while ((await scene.unsent()) > 0) await sleep(500)
    await scene.measure('beside items of a supplier that says processing')
    const idle = await transactionsASecond(sql)
    await sql`select ops.poll_all('slow1')`
    await scene.measure('after ops.poll_all')
    await sql`select ops.begin_recovery('bench')`
    await scene.measure('after ops.begin_recovery')
    await sql`select ops.end_recovery()`.catch(() => {})
    return [{ what: 'processing: transactions while items wait', value: idle, unit: '/s', most: 20 }]
  },
  nine: async ({ slow, ...scene }, items) => {
    slow.answer('hang')
    await scene.fill(items)
    await scene.measure('beside nine suppliers that hang')
    return []
  },
  paused: async ({ sql, ...scene }, items) => {
    await sql`select ops.set_supplier_paused('slow1', 'bench')`
    await scene.fill(4 * items)
    const targets: Target[] = []
    for (const view of ['attention', 'queue', 'audit']) {
      const began = performance.now()
      await sql`select count(*) from ops.${sql(view)}`
      const what = `paused: ops.${view} with ${4 * items} items`
      targets.push({ what, value: performance.now() - began, unit: 'ms', most: 2_000 })
    }
    return targets
  },
}
export const sceneNames = Object.keys(scenes)

/** A shop and its service, with as many suppliers of another product each at the address of a slow one. */
async function openScene({ stage, ms, plainRate }: Bench, name: string, suppliers: number) {
  const slow = await startSlowSupplier()
  const { database, service, accounts } = await openShop(stage, 20)
  const { sql } = database
  for (let n = 1; n <= suppliers; n += 1) {
    await sql`select ops.upsert_supplier(${`slow${n}`}, ${`http://127.0.0.1:${slow.port}`}, 'token')`
    await sql`select ops.upsert_product(${slowProductId + n}, 'bench', 'Slow', 1, 'RUB', 'id_only', '[]')`
    await sql`select ops.upsert_offer(${slowProductId + n}, ${`slow${n}`}, 'sku')`
  }
  const phases: Phase[] = []
  let accepted = 0
  const count = async (condition: postgres.PendingQuery<postgres.Row[]>) => {
    const [row] = await sql`
      select count(*)::int as n from supply.order_items where supplier <> 'bench' and completed_at is null and ${condition}`
    return Number(row?.n)
  }
  const open = () => count(sql`true`)

  return {
    ...{ slow, service, sql, phases },
    measure: async (phase: string) => {
      const [from] = await sql`select clock_timestamp() as at`
      const pace = { perSecond: plainRate * share }
      const run = { shoppers: withReceivers(accounts, stage), pace, untilWebhook: false, warmUpMs: ms(1) }
      accepted += (await stage.orders(service, { ...run, ms: ms(12) })).accepted
      await sleep(500)
      const [row] = await sql`
        select percentile_disc(0.5) within group (order by w.ms) as p50,
          percentile_disc(0.95) within group (order by w.ms) as p95, count(w.called_at)::int as calls
        from (
          select a.started_at as called_at,
            extract(epoch from coalesce(a.started_at, clock_timestamp()) - o.created_at)::float8 * 1000 as ms
          from supply.orders o join supply.order_items i on i.order_id = o.id
          left join supply.supplier_attempts a on a.item_id = i.id and a.method = 'put'
          where o.created_at > ${from?.at} and i.supplier = 'bench') as w`
      const { p50, p95, calls } = row ?? {}
      console.error(`${name}: ${phase}: p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms`)
      phases.push({ scene: name, name: phase, p50, p95, byAlone: p95 / (phases[0]?.p95 ?? p95), calls })
    },
    /** Has so many items wait at each of the suppliers. */
    fill: async (items: number) => {
      for (let n = 1; n <= suppliers; n += 1) {
        accepted += await placeSlowOrders(database, accounts[0]?.accountId ?? 0, slowProductId + n, items / suppliers)
      }
      await sleep(2_000)
    },
    unsent: () => count(sql`limited_rank = 0`),
    /** Waits until no item is open, and returns how many ended a second. */
    recover: async () => {
      const [before, began] = [await open(), performance.now()]
      while ((await open()) > 0) await sleep(500)
      return (before / (performance.now() - began)) * 1000
    },
    close: async () => {
      await assertSound(sql, accepted)
      await service.stop()
      await database.drop()
      slow.close()
    },
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

/** Places orders with so many items of a slow supplier in all, and returns how many orders. */
async function placeSlowOrders(
  { sql }: StageDatabase,
  accountId: number,
  productId: number,
  items: number,
): Promise<number> {
  const [key] = await sql`select key_id from ops.api_keys where account_id = ${accountId} limit 1`
  const count = Math.ceil(items / itemsOfAnOrder)
  const item = { product_id: productId, quantity: 1, delivery_data: {}, max_price: null }
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

export function backlogTable({ perSecond, items, phases }: Backlog): Table {
  return {
    title: `From the acceptance to the call at a healthy supplier, ${Math.round(perSecond)} orders a second, beside ${items} items of others`,
    columns: ['', 'p50 ms', 'p95 ms', 'p95 by alone', 'calls'],
    rows: phases.map(({ scene, name, p50, p95, byAlone, calls }) => [`${scene}: ${name}`, p50, p95, byAlone, calls]),
  }
}
