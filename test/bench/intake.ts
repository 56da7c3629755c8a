import type { Bench } from './baseline.ts'
import type { Latencies, Table } from './figures.ts'
import { makeAccounts, makeShop } from './shop.ts'
import { assertSound } from './stage.ts'
import type { Costs } from './usage.ts'

const connections = [1, 16, 64, 256]
const accountCount = 1_000

export type Intake = {
  accounts: number
  connections: number
  perSecond: number
  latencies: Latencies
  failed: number
  costs: Costs
}[]

/**
 * Orders over HTTP, each charged and committed with its job, for one account that all are charged to and for a thousand:
 * each connection sends the next order when the last one is answered. No worker runs.
 */
export async function measureIntake({ stage, ms }: Bench): Promise<Intake> {
  const database = await stage.database()
  await makeShop(database.sql, stage.ports.supplier)
  const accounts = await makeAccounts(database.sql, accountCount)
  const service = await stage.service(database, ['api'])
  const intake: Intake = []
  let accepted = 0
  for (const who of [accounts.slice(0, 1), accounts]) {
    const shoppers = who.map(({ key }) => ({ key, callback: null }))
    for (const count of connections) {
      const pace = { underWay: count }
      const run = { shoppers, pace, untilWebhook: false, warmUpMs: ms(1), ms: ms(4) }
      const { orders, seconds, latencies, costs, refused, ...result } = await stage.orders(service, run)
      accepted += result.accepted
      const [perSecond, failed] = [orders / seconds, refused]
      intake.push({ accounts: who.length, connections: count, perSecond, latencies, failed, costs })
    }
  }
  await assertSound(database.sql, accepted)
  await service.stop()
  await database.drop()
  return intake
}

export function intakeTable(intake: Intake, plainRate: number): Table {
  return {
    title: 'Intake: orders over HTTP, each answered when it is charged and committed',
    columns: ['accounts', 'connections', 'orders/s', 'in B', 'p50 ms', 'p95 ms', 'p99 ms', 'failed', ...costColumns],
    rows: intake.map(({ accounts, connections, perSecond, latencies: { p50, p95, p99 }, failed, costs }) => [
      accounts.toLocaleString('en-US'),
      connections,
      Math.round(perSecond),
      perSecond / plainRate,
      ...[p50, p95, p99],
      failed,
      ...costCells(costs),
    ]),
    notes: [costNote],
  }
}

export const costColumns = ['commits', 'WAL bytes', 'PG ms', 'API ms', 'worker ms', 'load']

export const costNote =
  'commits (that wrote anything) to worker ms: for each order, the times being CPU; load: its share of all CPU taken'

export function costCells(costs: Costs): (string | number)[] {
  const { commits, walBytes, postgresMs, apiMs, workerMs, loadShare } = costs
  return [commits, Math.round(walBytes), postgresMs, apiMs, workerMs, percent(loadShare)]
}

/** A share from 0 to 1 as a percentage. */
export function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : '–'
}
