import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import type { Bench } from './baseline.ts'
import type { Latencies, Table } from './figures.ts'
import type { OrderResult } from './load.ts'
import { assertSound, waitUntilFinal } from './stage.ts'
import { type Costs, takeUsage } from './usage.ts'
import { openShop, withReceivers } from './whole.ts'

const rates = [10, 25, 50, 100, 200]
const accountCount = 20
const warmUpSeconds = 3
const rateSeconds = 20
const idleSeconds = 10

type Rate = {
  offered: number
  perSecond: number
  latencies: Latencies
  costs: Costs
  /** Transactions for each order, with those that only read; `costs.commits` counts those that write. */
  commits: number
  /** Statements for each order that fetch jobs; NaN where the server has no pg_stat_statements. */
  fetches: number
}

export type Alone = { rates: Rate[]; idleCpuMsPerSecond: number }

/**
 * What an order costs that has the service nearly to itself: whole orders of twenty accounts at fixed low rates, and
 * the CPU that API, worker and PostgreSQL take in all while there are no orders.
 */
export async function measureAlone({ stage, ms }: Bench): Promise<Alone> {
  const { database, service, accounts } = await openShop(stage, accountCount)
  const { sql } = database
  const shoppers = withReceivers(accounts, stage)
  const countsStatements = await loadsStatementCounter(sql)
  if (countsStatements) await sql`create extension pg_stat_statements schema public`
  const alone: Alone = { rates: [], idleCpuMsPerSecond: Number.NaN }
  let accepted = 0
  const order = async (perSecond: number, seconds: number) => {
    const times = { warmUpMs: ms(warmUpSeconds), ms: ms(seconds) }
    const result = await stage.orders(service, { shoppers, pace: { perSecond }, untilWebhook: true, ...times })
    accepted += result.accepted
    assertComplete(result)
    await waitUntilFinal(sql)
    return result
  }

  await order(50, rateSeconds / 4)
  await sleep(ms(warmUpSeconds))
  const before = await takeUsage(sql, service.pids)
  await sleep(ms(idleSeconds))
  const after = await takeUsage(sql, service.pids)
  const used = (name: 'postgres' | 'api' | 'worker') => after.cpuMs[name] - before.cpuMs[name]
  alone.idleCpuMsPerSecond = (used('postgres') + used('api') + used('worker')) / ((after.at - before.at) / 1000)

  for (const offered of rates) {
    const begin = await takeCounts(sql, countsStatements)
    const { orders, seconds, latencies, costs, ...result } = await order(offered, rateSeconds)
    const end = await takeCounts(sql, countsStatements)
    alone.rates.push({
      offered,
      perSecond: orders / seconds,
      latencies,
      costs,
      commits: (end.commits - begin.commits) / result.accepted,
      fetches: (end.fetches - begin.fetches) / result.accepted,
    })
  }
  await assertSound(sql, accepted)
  await service.stop()
  await database.drop()
  return alone
}

/** Throws unless each order of a run was taken and had one webhook. */
export function assertComplete({ refused, lost, twice }: OrderResult): void {
  if (refused + lost + twice === 0) return
  throw new Error(`${refused} orders were refused, ${lost} had no webhook, ${twice} had more than one`)
}

async function loadsStatementCounter(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql`
    select current_setting('shared_preload_libraries') like '%pg_stat_statements%' as loads`
  return row?.loads
}

async function takeCounts(sql: postgres.Sql, countsStatements: boolean) {
  const [row] = await sql`
    select xact_commit::float8 as commits from pg_stat_database where datname = current_database()`
  const [statements] = countsStatements
    ? await sql`
        select coalesce(sum(calls), 0)::float8 as fetches from public.pg_stat_statements
        where query like '%_private_jobs%' and query like '%skip locked%' and query like '%locked_by = $%'
          and dbid = (select oid from pg_database where datname = current_database())`
    : []
  return { commits: Number(row?.commits), fetches: Number(statements?.fetches) }
}

export function aloneTable({ rates, idleCpuMsPerSecond }: Alone): Table {
  return {
    title: 'Whole orders of twenty accounts at low fixed rates, timed from the planned moment',
    columns: [
      'offered/s',
      'orders/s',
      'p50 ms',
      'p95 ms',
      'CPU ms',
      'PG ms',
      'API ms',
      'worker ms',
      'commits',
      'that write',
      'fetches',
    ],
    rows: rates.map(({ offered, perSecond, latencies: { p50, p95 }, costs, commits, fetches }) => {
      const { postgresMs, apiMs, workerMs } = costs
      const cpu = [postgresMs + apiMs + workerMs, postgresMs, apiMs, workerMs]
      return [String(offered), perSecond, p50, p95, ...cpu, commits, costs.commits, fetches]
    }),
    notes: [
      'CPU ms to fetches: for each order. CPU ms: PostgreSQL, API and worker. fetches: statements that fetch jobs.',
      `Without orders the three take ${idleCpuMsPerSecond.toFixed(1)} ms of CPU in each second.`,
    ],
  }
}
