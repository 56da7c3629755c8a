import { dataKeyText } from '../support/data_keys.ts'
import type { Bench } from './baseline.ts'
import type { Latencies, Table } from './figures.ts'
import { costCells, costColumns, costNote } from './intake.ts'
import { assertSound, waitUntilFinal } from './stage.ts'
import type { Costs } from './usage.ts'
import { openShop, withReceivers } from './whole.ts'

const codeCounts = [1, 10]
const accountCount = 50
const underWay = 64

type Way = { isSealed: boolean; codes: number; perSecond: number; latencies: Latencies; costs: Costs }
export type Sealing = Way[]

/** Whole orders of keys, with DATA_KEYS and without: what it costs to seal codes and to open them. */
export async function measureSealing({ stage, ms }: Bench): Promise<Sealing> {
  const ways: Way[] = []
  for (const isSealed of [false, true]) {
    const keys: { [name: string]: string } = isSealed ? { DATA_KEYS: dataKeyText('k1') } : {}
    const { database, service, accounts } = await openShop(stage, accountCount, keys)
    let accepted = 0
    for (const codes of codeCounts) {
      const shoppers = withReceivers(accounts, stage).map((shopper) => ({ ...shopper, codes }))
      const run = { shoppers, pace: { underWay }, untilWebhook: true, warmUpMs: ms(2), ms: ms(8) }
      const { orders, seconds, latencies, costs, ...result } = await stage.orders(service, run)
      accepted += result.accepted
      await waitUntilFinal(database.sql)
      ways.push({ isSealed, codes, perSecond: orders / seconds, latencies, costs })
    }
    const [row] = await database.sql`select count(*)::int as plain from supply.item_keys where code not like 'sealed:%'`
    if ((row?.plain === 0) !== isSealed) throw new Error(`${row?.plain} codes are plain`)
    await assertSound(database.sql, accepted)
    await service.stop()
    await database.drop()
  }
  return ways
}

export function sealingTable(ways: Sealing): Table {
  return {
    title: `Whole orders of keys, ${underWay} under way, ${accountCount} accounts`,
    columns: ['DATA_KEYS', 'codes', 'orders/s', 'p50 ms', 'p95 ms', ...costColumns],
    rows: ways.map(({ isSealed, codes, perSecond, latencies: { p50, p95 }, costs }) => [
      isSealed ? 'set' : 'not set',
      codes,
      Math.round(perSecond),
      p50,
      p95,
      ...costCells(costs),
    ]),
    notes: [costNote],
  }
}
