import { assertComplete } from './alone.ts'
import type { Bench } from './baseline.ts'
import { median, type Table } from './figures.ts'
import type { OrderRun } from './load.ts'
import { type Account, makeAccounts, makeShop } from './shop.ts'
import { assertSound, type StageDatabase, waitUntilFinal } from './stage.ts'
import { peakMemory } from './usage.ts'
import { withReceivers } from './whole.ts'

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
  const here = await openSide(bench)
  const there = await openSide(bench, other)
  for (let pair = 1; pair <= pairs; pair += 1) {
    for (const side of pair % 2 === 1 ? [here, there] : [there, here]) side.turns.push(await takeTurn(bench, side))
    console.error(`pair ${pair} of ${pairs}`)
  }
  for (const { database, accepted } of [here, there]) {
    await assertSound(database.sql, accepted)
    await database.drop()
  }
  const names = Object.keys(here.turns[0] ?? {})
  const of = (side: Side, name: string) => side.turns.map((turn) => turn[name] ?? Number.NaN)
  return {
    other,
    figures: names.map((name) => {
      const [ours, theirs] = [of(here, name), of(there, name)]
      const ratios = ours.map((value, index) => value / (theirs[index] ?? Number.NaN))
      return { name, here: median(ours), there: median(theirs), ratios }
    }),
  }

  async function openSide({ stage }: Bench, folder?: string): Promise<Side> {
    const database = await stage.database(folder)
    await makeShop(database.sql, stage.ports.supplier)
    return { database, accounts: await makeAccounts(database.sql, accountCount), turns: [], accepted: 0 }
  }

  async function takeTurn({ ms }: Bench, side: Side): Promise<Figures> {
    const service = await stage.service(side.database, ['worker', 'api'])
    const figures: Figures = {}
    for (const { accounts, pace, seconds } of scenes) {
      const shoppers = withReceivers(side.accounts.slice(0, accounts), stage)
      const run = await stage.orders(service, {
        shoppers,
        pace,
        untilWebhook: true,
        warmUpMs: ms(1.5),
        ms: ms(seconds),
      })
      side.accepted += run.accepted
      assertComplete(run)
      await waitUntilFinal(side.database.sql)
      const { postgresMs, apiMs, workerMs, walBytes, commits } = run.costs
      const found: Figures =
        'perSecond' in pace
          ? {
              ...{
                'CPU, ms': postgresMs + apiMs + workerMs,
                'CPU of PostgreSQL, ms': postgresMs,
                'WAL, kB': walBytes / 1e3,
              },
              ...{ 'commits that write': commits, 'p50, ms': run.latencies.p50, 'p95, ms': run.latencies.p95 },
            }
          : { 'orders/s': run.orders / run.seconds }
      const where = 'perSecond' in pace ? `${pace.perSecond}/s` : `${pace.underWay} under way, accounts: ${accounts}`
      for (const [name, value] of Object.entries(found)) figures[`${where}: ${name}`] = value
    }
    figures['memory of the API, MB'] = peakMemory(service.pids.api ?? 0)
    figures['memory of the worker, MB'] = peakMemory(service.pids.worker ?? 0)
    await service.stop()
    return figures
  }
}

export function comparisonTable({ other, figures }: Comparison): Table {
  return {
    title: `This checkout and ${other} in turn, medians of ${figures[0]?.ratios.length} pairs`,
    columns: ['', 'here', 'there', 'ratio', 'least', 'most'],
    rows: figures.map(({ name, here, there, ratios }) => [
      name,
      ...[here, there, median(ratios), Math.min(...ratios), Math.max(...ratios)],
    ]),
    notes: ['ratio: the median of what this checkout has by what the other one has in the same pair.'],
  }
}
