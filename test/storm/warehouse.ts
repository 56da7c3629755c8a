import type postgres from 'postgres'
import { hasWarehousePrograms, makeWarehouse } from '../support/warehouse.ts'
import type { Calm } from './calm.ts'
import type { Report } from './report.ts'

/** An analyst's warehouse, which reads on all the time. */
export type StormWarehouse = {
  /** Reads on once more; notes rows that the copy lacks, or has alone, as differences. */
  finish(): Promise<void>
}

const pauseMs = 1_000

/** Starts it as a login of its own; undefined where `python3` or `psql` is missing. */
export async function startWarehouse(
  sql: postgres.Sql,
  url: string,
  { calm, report }: { calm: Calm; report: Report },
): Promise<StormWarehouse | undefined> {
  if (!hasWarehousePrograms) return undefined
  const [row] = await sql`select ops.add_operator('warehouse', '{analyst}') as password`
  const source = Object.assign(new URL(url), { username: 'warehouse', password: row?.password })
  const warehouse = await makeWarehouse(sql, { source: source.href, target: url })

  async function watch(): Promise<void> {
    while (!calm.hasBegun()) {
      await warehouse.readOn().then(
        () => report.count('readings of the warehouse'),
        () => report.count('readings of the warehouse that failed'),
      )
      await calm.pause(pauseMs)
    }
  }

  const watching = watch()
  return {
    finish: async () => {
      await watching
      await warehouse.readOn()
      for (const { view, rows, differ } of await warehouse.compare()) {
        report.count(`rows of the warehouse: ${view}`, rows)
        if (differ > 0) report.difference(`the warehouse differs from bi.${view}`, `${differ} rows`)
      }
    },
  }
}
