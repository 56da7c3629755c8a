import { assertComplete } from './alone.ts'
import type { Bench } from './baseline.ts'
import { median, type Table } from './figures.ts'
import type { OrderResult, OrderRun } from './load.ts'
import type { Account } from './shop.ts'
import { assertSound, type StageDatabase, waitUntilFinal } from './stage.ts'
import { type Costs, memoryOf } from './usage.ts'
import { fillShop, withReceivers } from './whole.ts'

const accountCount = 50

type Scene = { accounts: number; pace: OrderRun['pace']; seconds: number }

/** A turn of one side measures 30 seconds in all. */
const scenes: Scene[] = [
  { accounts: 20, pace: { perSecond: 50 }, seconds: 8 },
  { accounts: 20, pace: { perSecond: 200 }, seconds: 6 },
  ...[1, accountCount].flatMap((accounts) =>
    [64, 256].map((underWay) => ({ accounts, pace: { underWay }, seconds: 4 })),
  ),
]

/** What one turn measured, by the name of the figure. */
type Figures = { [name: string]: number }
type Side = { database: StageDatabase; accounts: Account[]; turns: Figures[]; accepted: number }

export type Comparison = { other: string; figures: { name: string; here: number; there: number; ratios: number[] }[] }

/**
 * Compares this checkout with another one: whole orders, orders that come alone, and memory. Each has a database of its
 * own on one server. They take turns, so that what the machine does meanwhile meets both.
 */
export async function compareCheckouts(bench: Bench): Promise<Comparison> {
  const { stage, checkout: other, pairs } = bench
  if (other === undefined) throw new Error('compare needs another checkout')
  const here: Side = { ...(await fillShop(stage, accountCount)), turns: [], accepted: 0 }
  const there: Side = { ...(await fillShop(stage, accountCount, other)), turns: [], accepted: 0 }
  for (let pair = 1; pair <= pairs; pair += 1) {
    for (const side of pair % 2 === 1 ? [here, there] : [there, here]) side.turns.push(await takeTurn(bench, side))
    console.error(`pair ${pair} of ${pairs}`)
  }
  for (const { database, accepted } of [here, there]) {
    await assertSound(database.sql, accepted)
    await database.drop()
  }
  const names = Object.keys(here.turns[0] ?? {})
  return { other, figures: names.map((name) => ({ name, ...ratiosOf(name, here, there) })) }
}

async function takeTurn({ stage, ms }: Bench, side: Side): Promise<Figures> {
  const service = await stage.service(side.database, ['worker', 'api'])
  const figures: Figures = {}
  for (const { accounts, pace, seconds } of scenes) {
    const shoppers = withReceivers(side.accounts.slice(0, accounts), stage)
    const run = await stage.orders(service, { shoppers, pace, untilWebhook: true, warmUpMs: ms(1.5), ms: ms(seconds) })
    side.accepted += run.accepted
    assertComplete(run)
    await waitUntilFinal(side.database.sql)
    const where = 'perSecond' in pace ? `${pace.perSecond}/s` : `${pace.underWay} under way, accounts: ${accounts}`
    const found = 'perSecond' in pace ? costsOf(run) : { 'orders/s': run.orders / run.seconds }
    for (const [name, value] of Object.entries(found)) figures[`${where}: ${name}`] = value
  }
  figures['memory of the API, MB'] = memoryOf(service.pids.api, 'VmHWM')
  figures['memory of the worker, MB'] = memoryOf(service.pids.worker, 'VmHWM')
  await service.stop()
  return figures
}

function costsOf({ costs, latencies }: OrderResult & { costs: Costs }): Figures {
  const { postgresMs, apiMs, workerMs, walBytes, commits } = costs
  return {
    ...{ 'CPU, ms': postgresMs + apiMs + workerMs, 'CPU of PostgreSQL, ms': postgresMs, 'WAL, kB': walBytes / 1e3 },
    ...{ 'commits that write': commits, 'p50, ms': latencies.p50, 'p95, ms': latencies.p95 },
  }
}

function ratiosOf(name: string, here: Side, there: Side) {
  const of = (side: Side) => side.turns.map((turn) => turn[name] ?? Number.NaN)
  const [ours, theirs] = [of(here), of(there)]
  const ratios = ours.map((value, index) => value / (theirs[index] ?? Number.NaN))
  return { here: median(ours), there: median(theirs), ratios }
}

export function comparisonTable({ other, figures }: Comparison): Table {
  return {
    title: `This checkout beside ${other}, medians of ${figures[0]?.ratios.length} pairs`,
    columns: ['', 'here', 'there', 'ratio', 'least', 'most'],
    rows: figures.map(({ name, here, there, ratios }) => [
      name,
      ...[here, there, median(ratios), Math.min(...ratios), Math.max(...ratios)],
    ]),
    notes: ['ratio: the median of what this checkout has by what the other one has in the same pair.'],
  }
}
