import type { Bench } from './baseline.ts'
import { type Latencies, median, type Table } from './figures.ts'
import type { Shopper } from './requests.ts'
import { makeAccounts, makeShop } from './shop.ts'
import { assertSound, waitUntilFinal } from './stage.ts'
import { withReceivers } from './whole.ts'

const rounds = 3
const phasesEach = 2
const share = 0.07
const eventsEach = 1_000

type Phase = { latencies: Latencies; failed: number }

export type Fairness = {
  perSecond: number
  eventsEach: number
  without: Phase[]
  beside: Phase[]
  /** The median p95 beside the hanging receivers, by the median p95 without them. */
  ratio: number
  /** The largest p95 without hanging receivers, by the smallest: how much the machine alone changes it. */
  spread: number
}

/**
 * What twenty partners with healthy receivers notice of five whose receivers hang, with a thousand events each: the
 * whole way of orders at a fixed rate, without and then beside those events. Each round has a database and a service of
 * its own, so that the next one begins without any.
 */
export async function measureFairness(bench: Bench): Promise<Fairness> {
  const perSecond = bench.plainRate * share
  const events = bench.quick ? eventsEach / 10 : eventsEach
  const without: Phase[] = []
  const beside: Phase[] = []
  for (let round = 0; round < rounds; round += 1) {
    const measured = await measureRound(bench, perSecond, events)
    without.push(...measured.without)
    beside.push(...measured.beside)
  }
  const p95 = ({ latencies }: Phase) => latencies.p95
  const ratio = median(beside.map(p95)) / median(without.map(p95))
  const spread = Math.max(...without.map(p95)) / Math.min(...without.map(p95))
  return { perSecond, eventsEach: events, without, beside, ratio, spread }
}

async function measureRound({ stage, ms }: Bench, perSecond: number, events: number) {
  const { ports } = stage
  const database = await stage.database()
  await makeShop(database.sql, ports.supplier)
  const accounts = await makeAccounts(database.sql, ports.receivers.length + ports.hanging.length)
  const service = await stage.service(database, ['worker', 'api'])
  const healthy = withReceivers(accounts.slice(0, ports.receivers.length), stage)
  const hung = accounts
    .slice(ports.receivers.length)
    .map(({ key }, index) => ({ key, callback: `http://127.0.0.1:${ports.hanging[index]}` }))
  let accepted = 0

  const phases = async (): Promise<Phase[]> => {
    const run = { shoppers: healthy, pace: { perSecond }, untilWebhook: true, warmUpMs: ms(1), ms: ms(8) }
    const measured: Phase[] = []
    for (let phase = 0; phase < phasesEach; phase += 1) {
      const { latencies, ...result } = await stage.orders(service, run)
      accepted += result.accepted
      measured.push({ latencies, failed: result.refused + result.lost + result.twice })
    }
    return measured
  }
  const pileUp = async (shoppers: Shopper[], untilWebhook: boolean): Promise<void> => {
    const limit = events * ports.hanging.length
    const run = { shoppers, pace: { underWay: 64 }, untilWebhook, warmUpMs: 0, ms: 60_000, limit }
    const pile = await stage.orders(service, run)
    accepted += pile.accepted
    if (pile.accepted !== limit) throw new Error(`only ${pile.accepted} of ${limit} orders were accepted`)
    await waitUntilFinal(database.sql)
  }
  // As many events of healthy receivers before, so that programs and tables are as warm and as full in both phases.
  await pileUp(healthy, true)
  const without = await phases()
  await pileUp(hung, false)
  const beside = await phases()
  await assertSound(database.sql, accepted)
  await service.stop()
  await database.drop()
  return { without, beside }
}

export function fairnessTable({ perSecond, eventsEach, without, beside, ratio, spread }: Fairness): Table {
  return {
    title: `Whole orders of twenty partners, ${Math.round(perSecond)}/s, beside five hanging receivers with ${eventsEach} events each`,
    columns: ['round', 'p50 without', 'p50 beside', 'p95 without', 'p95 beside', 'failed'],
    rows: without.map(({ latencies, failed }, index) => {
      const other = beside[index]?.latencies
      return [
        String(1 + Math.floor(index / phasesEach)),
        latencies.p50,
        other?.p50 ?? Number.NaN,
        latencies.p95,
        other?.p95 ?? Number.NaN,
        failed + (beside[index]?.failed ?? 0),
      ]
    }),
    notes: [
      `times in milliseconds; the ratio of the median p95 is ${ratio.toFixed(2)}`,
      `the p95 without hanging receivers differ by a factor of ${spread.toFixed(2)}`,
    ],
  }
}
