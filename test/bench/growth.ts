import type postgres from 'postgres'
import type { Bench } from './baseline.ts'
import { median, type Table } from './figures.ts'
import { fillOrders } from './fill.ts'
import { productId } from './requests.ts'
import { type Account, makeAccounts, makeShop } from './shop.ts'
import { assertSound, type Service, type StageDatabase } from './stage.ts'
import { withReceivers } from './whole.ts'

const accountCount = 1_000
const smallOrders = 2_000
const sqlRounds = 10
/** Each side is measured so often, the two in turn, and the best counts: what else the machine does is no growth. */
const turns = 2

/** One thing on the small and on the grown database, and how much worse it is on the grown one. */
type Comparison = { what: string; unit: string; small: number; grown: number; ratio: number }
export type Growth = {
  orders: number
  rungs: number
  smallOrders: number
  comparisons: Comparison[]
  auditSeconds: number
}

/** One of the two databases that are compared, and the service on it. */
type Side = { database: StageDatabase; service: Service; accounts: Account[]; orders: number; accepted: number }

/**
 * What a year of orders costs: intake, the whole way, reads, gauges and what operators look at, on a database with many
 * final orders of 1,000 accounts, a fifth of them of one account, beside one that is nearly empty. All reads are of that
 * one account.
 */
export async function measureGrowth(bench: Bench): Promise<Growth> {
  const { growthOrders: orders, growthRungs: rungs } = bench
  const small = await openSide(bench, smallOrders)
  const grown = await openSide(bench, orders, rungs)
  const sides = [small, grown]
  const comparisons: Comparison[] = []
  const compare = async (unit: string, measure: (side: Side) => Promise<Map<string, number>>) => {
    const smaller = unit === 'ms'
    const [before, after] = [new Map<string, number>(), new Map<string, number>()]
    for (let turn = 0; turn < turns; turn += 1) {
      keepBest(before, await measure(small), smaller)
      keepBest(after, await measure(grown), smaller)
    }
    for (const [what, value] of before) {
      const other = after.get(what) ?? Number.NaN
      const ratio = smaller ? other / value : value / other
      comparisons.push({ what, unit, small: value, grown: other, ratio })
    }
  }
  await compare('ms', (side) => wholeWay(bench, side))
  await compare('ms', (side) => reads(bench, side))
  await compare('ms', (side) => operatorsQueries(side))
  for (const side of sides) await side.service.stop()
  // Without the worker, so that nothing but the intake is measured.
  for (const side of sides) side.service = await bench.stage.service(side.database, ['api'])
  await compare('orders/s', (side) => intake(bench, side))
  let auditSeconds = 0
  for (const side of sides) {
    const began = performance.now()
    await assertSound(side.database.sql, side.orders + side.accepted)
    auditSeconds = (performance.now() - began) / 1000
    await side.service.stop()
    await side.database.drop()
  }
  return { orders, rungs, smallOrders, comparisons, auditSeconds }
}

function keepBest(best: Map<string, number>, measured: Map<string, number>, smaller: boolean): void {
  for (const [what, value] of measured) {
    const before = best.get(what) ?? value
    best.set(what, smaller ? Math.min(before, value) : Math.max(before, value))
  }
}

async function openSide({ stage }: Bench, orders: number, rungs?: number): Promise<Side> {
  const database = await stage.database()
  await makeShop(database.sql, stage.ports.supplier)
  const accounts = await makeAccounts(database.sql, accountCount)
  await fillOrders(database.sql, { orders, rungs, productId })
  await database.sql`vacuum analyze`
  await assertSound(database.sql, orders)
  const service = await stage.service(database, ['worker', 'api'])
  return { database, service, accounts, orders, accepted: 0 }
}

async function wholeWay({ stage, ms }: Bench, side: Side): Promise<Map<string, number>> {
  const shoppers = withReceivers(side.accounts, stage)
  const times = new Map<string, number>()
  for (const underWay of [1, 16]) {
    const run = { shoppers, pace: { underWay }, untilWebhook: true, warmUpMs: ms(1), ms: ms(2.5) }
    const { latencies, accepted, refused, lost } = await stage.orders(side.service, run)
    if (refused + lost > 0) throw new Error(`${refused} orders were refused and ${lost} were lost`)
    side.accepted += accepted
    times.set(`whole order, p50, ${underWay} under way`, latencies.p50)
    times.set(`whole order, p95, ${underWay} under way`, latencies.p95)
  }
  return times
}

async function intake({ stage, ms }: Bench, side: Side): Promise<Map<string, number>> {
  const rates = new Map<string, number>()
  for (const who of [side.accounts.slice(0, 1), side.accounts]) {
    const shoppers = who.map(({ key }) => ({ key, callback: null }))
    const run = { shoppers, pace: { underWay: 64 }, untilWebhook: false, warmUpMs: ms(1), ms: ms(2.5) }
    const { orders, seconds, accepted } = await stage.orders(side.service, run)
    side.accepted += accepted
    const accounts = who.length === 1 ? 'the large account' : `${who.length} accounts`
    rates.set(`intake of ${accounts}, 64 connections`, orders / seconds)
  }
  return rates
}

/** The API's reads, each of the large account, by what they are called. */
async function readPaths(sql: postgres.Sql, { accountId }: Account): Promise<Map<string, string>> {
  const [account] = await sql`
    select (select count(*)::int from ops.orders where account_id = ${accountId}) as orders,
      (select max(seq)::int from ops.ledger where account_id = ${accountId}) as seq`
  const [middle] = await sql`
    select order_code as code, external_order_id as reference, created_at as at
    from ops.orders where account_id = ${accountId} and external_order_id like 'filled-%'
    order by created_at offset ${Math.floor((account?.orders ?? 0) / 2)} limit 1`
  const at: Date = middle?.at
  const plusDays = (days: number) => new Date(at.getTime() + days * 86_400_000).toISOString()
  const lastPage = Math.ceil((account?.orders ?? 0) / 100)
  const paths = {
    'the order': `/b2b/orders/${middle?.code}`,
    'orders, first page': '/b2b/orders?limit=20',
    'orders, from a cursor in the middle': `/b2b/orders?limit=20&cursor=${middle?.code}`,
    'orders, page 1 with total': '/b2b/orders?limit=20&page=1',
    'orders, last page with total': `/b2b/orders?limit=100&page=${lastPage}`,
    'orders, completed': '/b2b/orders?limit=20&status=completed',
    'orders, failed': '/b2b/orders?limit=20&status=failed',
    'orders, pending (there is none)': '/b2b/orders?limit=20&status=pending',
    'orders, by externalOrderId': `/b2b/orders?limit=20&externalOrderId=${middle?.reference}`,
    'orders, a day in the middle': `/b2b/orders?limit=20&createdFrom=${plusDays(-0.5)}&createdTo=${plusDays(0.5)}`,
    'orders, up to the middle': `/b2b/orders?limit=20&createdTo=${plusDays(0)}`,
    'orders, up to before the first': `/b2b/orders?limit=20&createdTo=${plusDays(-400)}`,
    'statement, first page': '/b2b/balance/transactions?limit=20',
    'statement, from a cursor in the middle': `/b2b/balance/transactions?limit=20&cursor=${Math.floor((account?.seq ?? 0) / 2)}`,
    'statement, a day in the middle': `/b2b/balance/transactions?limit=20&from=${plusDays(-0.5)}&to=${plusDays(0.5)}`,
    'the balance': '/b2b/balance',
  }
  return new Map(Object.entries(paths))
}

async function reads({ stage, quick }: Bench, { database, service, accounts }: Side): Promise<Map<string, number>> {
  const [account] = accounts
  if (account === undefined) throw new Error('there is no account')
  const paths = await readPaths(database.sql, account)
  const rounds = quick ? 10 : 25
  const run = { key: account.key, paths: [...paths.values()], rounds, ms: 60_000 }
  const { p50, failed } = await stage.reads(service, run)
  if (failed > 0) throw new Error(`${failed} reads failed`)
  return new Map([...paths.keys()].map((what, index) => [what, p50[index] ?? Number.NaN]))
}

async function operatorsQueries({ database: { sql }, accounts }: Side): Promise<Map<string, number>> {
  const account = accounts[0]?.accountId ?? 0
  const [row] = await sql`select order_code as code from ops.events where state = 'waiting' limit 1`
  const code: string = row?.code
  const queries: { [what: string]: () => postgres.PendingQuery<postgres.Row[]> } = {
    gauges: () => sql`select * from work.gauges()`,
    'ops.orders, one': () => sql`select * from ops.orders where order_code = ${code}`,
    'ops.order_items of one order': () => sql`select * from ops.order_items where order_code = ${code}`,
    'ops.events of one order': () => sql`select * from ops.events where order_code = ${code}`,
    'ops.orders, newest of an account': () =>
      sql`select * from ops.orders where account_id = ${account} order by created_at desc limit 20`,
    'ops.ledger, newest of an account': () =>
      sql`select * from ops.ledger where account_id = ${account} order by seq desc limit 20`,
    'ops.accounts, one': () => sql`select * from ops.accounts where account_id = ${account}`,
    'ops.accounts, all': () => sql`select * from ops.accounts`,
    'ops.dead_letters': () => sql`select * from ops.dead_letters`,
    'ops.stuck_items': () => sql`select * from ops.stuck_items`,
    'ops.alerts': () => sql`select * from ops.alerts`,
    'ops.queue, next': () => sql`select * from ops.queue where available order by run_at limit 20`,
  }
  const times = new Map<string, number>()
  for (const [what, query] of Object.entries(queries)) {
    const taken: number[] = []
    for (let round = 0; round < sqlRounds; round += 1) {
      const began = performance.now()
      await query()
      taken.push(performance.now() - began)
    }
    times.set(what, median(taken))
  }
  return times
}

export function growthTable({ orders, rungs, smallOrders, comparisons, auditSeconds }: Growth): Table {
  const count = (n: number) => `${n.toLocaleString('en-US')} orders`
  return {
    title: `Growth: ${count(orders)} beside ${count(smallOrders)}, a fifth of them of one account, ${rungs.toLocaleString('en-US')} events on rungs`,
    columns: ['', '', count(smallOrders), count(orders), 'times worse'],
    rows: comparisons.map(({ what, unit, small, grown, ratio }) => [what, unit, small, grown, ratio]),
    notes: [`ops.audit_all() of the grown database takes ${auditSeconds.toFixed(1)} s.`],
  }
}
