import type { Bench } from './baseline.ts'
import { type Latencies, median, type Table } from './figures.ts'
import type { Shopper } from './requests.ts'
import { makeAccounts, makeShop } from './shop.ts'
import { assertSound, waitUntilFinal } from './stage.ts'
import { withReceivers } from './whole.ts'

const rounds = 3
const share = 0.07
const eventsEach = 1_000

type Phase = { latencies: Latencies; failed: number }

export type Fairness = {
  perSecond: number
  eventsEach: number
  rounds: { without: Phase; beside: Phase }[]
  /** The median of the rounds: p95 beside the hanging receivers by p95 without them. */
  ratio: number
}

/**
 * What twenty partners with healthy receivers notice of five whose receivers hang, with a thousand events each: the
 * whole way of orders at a fixed rate, without and beside those events, in turn. Each round has a database and a
 * service of its own, so that the next one begins without any.
 */
export async function measureFairness(bench: Bench): Promise<Fairness> {
  const perSecond = bench.plainRate * share
  const events = bench.quick ? eventsEach / 10 : eventsEach
  const measured: Fairness['rounds'] = []
  for (let round = 0; round < rounds; round += 1) measured.push(await measureRound(bench, perSecond, events))
  const ratio = median(measured.map(({ without, beside }) => beside.latencies.p95 / without.latencies.p95))
  return { perSecond, eventsEach: events, rounds: measured, ratio }
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

  const phase = async (seconds: number): Promise<Phase> => {
    const run = { shoppers: healthy, pace: { perSecond }, untilWebhook: true, warmUpMs: ms(1), ms: ms(seconds) }
    const { latencies, ...result } = await stage.orders(service, run)
    accepted += result.accepted
    return { latencies, failed: result.refused + result.lost + result.twice }
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
  const without = await phase(8)
  await pileUp(hung, false)
  const beside = await phase(8)
  await assertSound(database.sql, accepted)
  await service.stop()
  await database.drop()
  return { without, beside }
}

export function fairnessTable({ perSecond, eventsEach, rounds, ratio }: Fairness): Table {
  return {
    title: `Whole orders of twenty partners, ${Math.round(perSecond)}/s, beside five hanging receivers with ${eventsEach} events each`,
    columns: ['round', 'p50 without', 'p50 beside', 'p95 without', 'p95 beside', 'p95 ratio', 'failed'],
    rows: rounds.map(({ without, beside }, index) => [
      String(index + 1),
      without.latencies.p50,
      beside.latencies.p50,
      without.latencies.p95,
      beside.latencies.p95,
      beside.latencies.p95 / without.latencies.p95,
      without.failed + beside.failed,
    ]),
    notes: [`times in milliseconds; the median of the ratios is ${ratio.toFixed(2)}`],
  }
}
