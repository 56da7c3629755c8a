import type { Bench } from './baseline.ts'
import type { Latencies, Table } from './figures.ts'
import { costCells, costColumns, costNote } from './intake.ts'
import type { OrderRun } from './load.ts'
import { type Account, makeAccounts, makeShop } from './shop.ts'
import { assertSound, type Service, type Stage, waitUntilFinal } from './stage.ts'
import { type Costs, memoryOf } from './usage.ts'

const underWay = [1, 16, 64, 256]
const accountCount = 50
const quarter = 0.25
const curveShares = [0.05, 0.1, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]

type Way = { accounts: number; perSecond: number; latencies: Latencies; failed: number; costs: Costs }

export type Whole = {
  /** So many orders under way, each followed by the next. */
  closed: (Way & { underWay: number })[]
  /** So many orders a second, given as a share of the plain function's rate at the beginning, and `offered`. */
  rates: (Way & { share: number; offered: number })[]
}

/**
 * Whole orders, from the POST to the arrival of the webhook: API and worker in processes of their own, and a supplier
 * and receivers that answer at once. First by so many under way, then at fixed rates, where an order's time runs from
 * the moment that was planned for it.
 */
export async function measureWhole({ stage, ms, plainRate }: Bench): Promise<Whole> {
  const { database, service, accounts } = await openShop(stage)
  const whole: Whole = { closed: [], rates: [] }
  let accepted = 0

  async function run(who: Account[], pace: OrderRun['pace'], [warmUp, seconds]: [number, number]): Promise<Way> {
    const settings = { pace, untilWebhook: true, warmUpMs: ms(warmUp), ms: ms(seconds) }
    const shoppers = withReceivers(who, stage)
    const { orders, latencies, costs, ...result } = await stage.orders(service, { ...settings, shoppers })
    accepted += result.accepted
    // What one run leaves undone is no load of the next.
    await waitUntilFinal(database.sql)
    const failed = result.refused + result.lost + result.twice
    return { accounts: who.length, perSecond: orders / result.seconds, latencies, failed, costs }
  }

  for (const who of [accounts.slice(0, 1), accounts]) {
    for (const count of underWay) {
      const way = await run(who, { underWay: count }, [1.5, 5])
      whole.closed.push({ ...way, underWay: count })
    }
  }
  async function atShare(who: Account[], share: number, seconds: number): Promise<boolean> {
    const offered = plainRate * share
    const way = await run(who, { perSecond: offered }, [2, seconds])
    whole.rates.push({ ...way, share, offered })
    return way.perSecond > 0.95 * offered
  }
  await atShare(accounts, quarter, 10)
  await atShare(accounts.slice(0, 1), quarter, 10)
  for (const share of curveShares) {
    if (!(await atShare(accounts.slice(0, 1), share, 6))) break
  }
  await assertSound(database.sql, accepted)
  await service.stop()
  await database.drop()
  return whole
}

export type Memory = { api: number; worker: number }

/** The most memory that the API and the worker ever have, in MB, under the highest load that the bench knows. */
export async function measureMemory({ stage, ms }: Bench): Promise<Memory> {
  const { database, service, accounts } = await openShop(stage)
  const [pace, warmUpMs] = [{ underWay: Math.max(...underWay) }, 0]
  const shoppers = withReceivers(accounts, stage)
  const whole = await stage.orders(service, { shoppers, pace, untilWebhook: true, warmUpMs, ms: ms(8) })
  const intake = await stage.orders(service, { shoppers, pace, untilWebhook: false, warmUpMs, ms: ms(5) })
  const memory = { api: memoryOf(service.pids.api, 'VmHWM'), worker: memoryOf(service.pids.worker, 'VmHWM') }
  await assertSound(database.sql, whole.accepted + intake.accepted)
  await service.stop()
  await database.drop()
  return memory
}

/** The database of a shop with so many accounts, for the service of this checkout or of another folder. */
export async function fillShop(stage: Stage, count = accountCount, folder?: string) {
  const database = await stage.database(folder)
  await makeShop(database.sql, stage.ports.supplier)
  return { database, accounts: await makeAccounts(database.sql, count) }
}

/** A shop with so many accounts, and the service on it. */
export async function openShop(stage: Stage, count = accountCount) {
  const { database, accounts } = await fillShop(stage, count)
  const service: Service = await stage.service(database, ['worker', 'api'])
  return { database, service, accounts }
}

/** Each account has a receiver, which it may share with others. */
export function withReceivers(accounts: readonly Account[], { ports }: Stage): OrderRun['shoppers'] {
  return accounts.map(({ key }, index) => {
    const port = ports.receivers[index % ports.receivers.length]
    return { key, callback: `http://127.0.0.1:${port}` }
  })
}

export function wholeTables({ closed, rates }: Whole, plainRate: number): Table[] {
  const latencyColumns = ['p50 ms', 'p95 ms', 'p99 ms', 'failed']
  const common = ({ latencies: { p50, p95, p99 }, failed, costs }: Way) => [
    ...[p50, p95, p99],
    failed,
    ...costCells(costs),
  ]
  return [
    {
      title: 'Whole orders, from the POST to the webhook, so many under way',
      columns: ['accounts', 'under way', 'orders/s', 'in B', ...latencyColumns, ...costColumns],
      rows: closed.map((way) => [
        String(way.accounts),
        way.underWay,
        Math.round(way.perSecond),
        way.perSecond / plainRate,
        ...common(way),
      ]),
      notes: [costNote],
    },
    {
      title: 'Whole orders at fixed rates, timed from the planned moment',
      columns: ['accounts', 'offered/s', 'in B', 'orders/s', ...latencyColumns, ...costColumns],
      rows: rates.map((way) => [
        String(way.accounts),
        Math.round(way.offered),
        way.offered / plainRate,
        Math.round(way.perSecond),
        ...common(way),
      ]),
    },
  ]
}

export function memoryTable({ api, worker }: Memory): Table {
  return {
    title: `The most memory, with ${Math.max(...underWay)} orders under way`,
    columns: ['', 'MB'],
    rows: [
      ['API', Math.round(api)],
      ['worker', Math.round(worker)],
    ],
  }
}
