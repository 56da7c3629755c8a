import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAdapters, protocols } from '../../src/suppliers/adapters.ts'
import { testDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'

const docs = join(import.meta.dirname, '../../docs')
const page = readFileSync(join(docs, 'suppliers.md'), 'utf8')

describe('the page about suppliers', () => {
  const database = testDatabase({ catalog: true })

  test('the page has a section for each protocol', () => {
    const sections = [...page.matchAll(/^## `(.+)`$/gm)].map(([, name]) => name)
    expect(sections.toSorted()).toEqual(Object.keys(protocols).toSorted())
  })

  test('the page names every capability as adapter and row do', async () => {
    const named = [...page.matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)]
    const [http] = Object.values(createAdapters().capabilities)
    expect(named.map(([, ours]) => ours).toSorted()).toEqual(Object.keys(http ?? {}).toSorted())
    const columns = await database.sql`
      select attname from pg_attribute where attrelid = 'supply.protocols'::regclass and attnum > 0 and attname <> 'name'`
    expect(named.map(([, , column]) => column).toSorted()).toEqual(columns.map(({ attname }) => attname).toSorted())
  })

  test('the page explains every outcome and cause', () => {
    const said = ['processing', 'completed', 'failed'].map((status) => `| \`answered\`, \`${status}\` |`)
    for (const outcome of [
      ...said,
      ...['unknown', 'not_received', 'not_placed', 'hold'].map((name) => `| \`${name}\` |`),
    ]) {
      expect(page).toContain(outcome)
    }
    for (const cause of ['balance', 'credentials', 'settings', 'unreachable', 'busy']) {
      expect(page).toContain(`\`${cause}\``)
    }
  })

  test('an operator can run the statements of the page', async () => {
    const { sql } = database
    for (const [, statements = ''] of page.matchAll(/```sql\n([^`]*)```/g)) await sql.unsafe(statements)
    const [offer] = await sql`
      select s.protocol, o.sku from supply.offers o join supply.suppliers s on s.code = o.supplier
      where o.product_id = ${products.topUp} and s.protocol = 'b2b'`
    expect(offer).toEqual({ protocol: 'b2b', sku: '2001' })
    const [modern] = await sql`select max_calls, paused_at, client_id from ops.suppliers where code = 'modern'`
    expect(modern).toEqual({ max_calls: 20, paused_at: null, client_id: 'us' })
  })
})
