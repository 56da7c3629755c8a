import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type postgres from 'postgres'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../../docs/operations/read_on.py')
const views = ['ledger', 'results'] as const

export const hasWarehousePrograms = ['python3', 'psql'].every((name) => spawnSync(name, ['--version']).status === 0)

/** The warehouse of docs/operations/export.md. */
type Warehouse = {
  /** Runs read_on.py once; rejects if that fails. */
  readOn(): Promise<unknown>
  /** How many rows each view has, and how many of source and copy the other does not have. */
  compare(): Promise<{ view: string; rows: number; differ: number }[]>
}

/** Makes it in a schema of the same database, `warehouse`. It reads the views as `source`. */
export async function makeWarehouse(sql: postgres.Sql, { source, target }: { source: string; target: string }) {
  const tables = readFileSync(join(program, '../export.md'), 'utf8').match(/^create table .*?;$/gms) ?? []
  await sql.unsafe(
    ['create schema warehouse', ...tables].join(';').replaceAll('create table ', 'create table warehouse.'),
  )
  const copy = new URL(target)
  copy.searchParams.set('options', '-csearch_path=warehouse')
  const env = { ...process.env, SOURCE: source, TARGET: copy.href }
  const compareView = async (view: string) => {
    const [row] = await sql.unsafe(`
      select (select count(*) from bi.${view})::int as rows,
        (select count(*) from (
          (table bi.${view} except all table warehouse.${view}) union all
          (table warehouse.${view} except all table bi.${view})) as d)::int as differ`)
    return { view, rows: Number(row?.rows), differ: Number(row?.differ) }
  }
  const warehouse: Warehouse = {
    readOn: () => run('python3', [program], { env }),
    compare: () => Promise.all(views.map(compareView)),
  }
  return warehouse
}
