import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { itemTests } from '../support/item_tests.ts'
import { answer, completed } from '../support/items.ts'

const { database, sql, order, partner } = itemTests()
const run = promisify(execFile)
const program = join(import.meta.dirname, '../../docs/operations/read_on.py')

/** The rows of both, as the source has them and as the warehouse has them. */
const rowsOf = async (schema: string) => ({
  ledger: [...(await sql().unsafe(`select * from ${schema}.ledger order by account_id, seq`))],
  results: [...(await sql().unsafe(`select * from ${schema}.results order by account_id, seq`))],
})

const hasPrograms = ['python3', 'psql'].every((name) => spawnSync(name, ['--version']).status === 0)

test.skipIf(!hasPrograms)(
  'the warehouse of export.md has each row once, also of a transaction that commits late, and after a failover',
  async () => {
    for (const view of ['ledger', 'results'])
      await sql().unsafe(`
        create schema if not exists warehouse;
        create table warehouse.${view} (like bi.${view});
        alter table warehouse.${view} add primary key (account_id, seq)`)
    const target = new URL(database.url)
    target.searchParams.set('options', '-csearch_path=warehouse')
    const readOn = () =>
      run('python3', [program], { env: { ...process.env, SOURCE: database.url, TARGET: target.href } })

    const first = await order()
    await answer(sql(), first.item, completed())
    const late = await sql().reserve()
    await late`begin`
    await late`select ops.deposit(${partner().accountId}, 7, 'late')`
    await readOn()
    await late`commit`
    late.release()
    const second = await order()
    await answer(sql(), second.item, completed())
    await readOn()
    expect(await rowsOf('warehouse')).toEqual(await rowsOf('bi'))

    // A failover took back the last row of the warehouse, and its number now belongs to another one.
    await sql()`update warehouse.ledger set amount = 1, order_code = null where seq = (select max(seq) from warehouse.ledger)`
    await readOn()
    const copied = await rowsOf('warehouse')
    expect(copied).toEqual(await rowsOf('bi'))
    expect(copied.ledger.length).toBeGreaterThan(3)
    expect(copied.results).toHaveLength(2)
  },
)
