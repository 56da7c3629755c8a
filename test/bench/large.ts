import { setTimeout as sleep } from 'node:timers/promises'
import { dataKeyText } from '../support/data_keys.ts'
import type { Bench } from './baseline.ts'
import { median, type Table } from './figures.ts'
import { keyProductId } from './requests.ts'
import { memoryOf } from './usage.ts'
import { openShop, withReceivers } from './whole.ts'

const rounds = 3
const events = 60
const codes = 5_000
const perSecond = 10
const phaseSeconds = 8

type Round = { accounts: number; alone: number; beside: number; ratio: number; moreMb: number; failed: number }
export type Large = Round[]

/**
 * What another partner notices of sixty events of 5,000 codes that become due at once, with DATA_KEYS: the p95 of its
 * orders from POST to webhook, and how much more memory the worker has. The events are one partner's, or sixty
 * partners'.
 */
export async function measureLarge({ stage, ms }: Bench): Promise<Large> {
  const measured: Large = []
  for (const count of [1, events]) {
    const { database, service, accounts } = await openShop(stage, count + 1, { DATA_KEYS: dataKeyText('k1') })
    const { sql } = database
    await sql`select ops.upsert_product(${keyProductId}, 'bench', 'A key', 1, 'RUB', 'key', max_quantity => ${codes})`
    const [other, ...large] = withReceivers(accounts, stage)
    if (other === undefined) throw new Error('there is no other partner')
    const shoppers = large.map((shopper) => ({ ...shopper, codes }))
    const run = { shoppers, pace: { underWay: 2 }, untilWebhook: true, warmUpMs: 0, ms: 120_000, limit: events }
    const { accepted } = await stage.orders(service, run)
    if (accepted !== events) throw new Error(`only ${accepted} of ${events} orders were accepted`)

    const phase = () =>
      stage.orders(service, {
        shoppers: [other],
        pace: { perSecond },
        untilWebhook: true,
        warmUpMs: ms(1),
        ms: ms(phaseSeconds),
      })
    await phase()
    for (let round = 0; round < rounds; round += 1) {
      const alone = await phase()
      const before = memoryOf(service.pids.worker, 'VmRSS')
      let most = 0
      const timer = setInterval(() => (most = Math.max(most, memoryOf(service.pids.worker, 'VmRSS'))), 50)
      await sql`select ops.redeliver(event_id) from ops.events where account_id in (
        select account_id from ops.orders where total_amount = ${codes})`
      const beside = await phase()
      clearInterval(timer)
      const open = async () => (await sql`select from ops.events where state not in ('delivered', 'dead')`).length
      while ((await open()) > 0) await sleep(250)
      const [a, b] = [alone.latencies.p95, beside.latencies.p95]
      const failed = alone.refused + alone.lost + beside.refused + beside.lost
      measured.push({ accounts: count, alone: a, beside: b, ratio: b / a, moreMb: most - before, failed })
    }
    await service.stop()
    await database.drop()
  }
  return measured
}

export function largeTable(measured: Large): Table {
  const ratioOf = (count: number) =>
    median(measured.filter(({ accounts }) => accounts === count).map(({ ratio }) => ratio))
  return {
    title: `Whole orders of another partner, ${perSecond}/s, beside ${events} events of ${codes} codes that are due at once`,
    columns: ['their accounts', 'p95 alone', 'p95 beside', 'ratio', 'worker MB more', 'failed'],
    rows: measured.map(({ accounts, alone, beside, ratio, moreMb, failed }) => [
      String(accounts),
      alone,
      beside,
      ratio,
      Math.round(moreMb),
      failed,
    ]),
    notes: [`the median ratio is ${ratioOf(1).toFixed(2)} for one account, ${ratioOf(events).toFixed(2)} for sixty`],
  }
}
