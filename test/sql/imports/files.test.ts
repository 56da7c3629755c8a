import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { hasPsql, psql } from '../../support/psql.ts'
import { inNewSession, mostRead } from '../../support/sql/plans.ts'

if (!hasPsql) console.info('no psql 15 on this machine, hence not run: lists from files')

const database = testDatabase({ catalog: true })
const dir = mkdtempSync(join(tmpdir(), 'supply-lists-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const match = 'format csv, header match'

/** Loads a file by \copy. Returns what psql says. */
function copy(text: string, options = match, columns = 'sku, supplier, cost', kind = 'products'): string {
  writeFileSync(join(dir, 'list.csv'), text)
  return psql(database.url, `\\copy ops.import_${kind} (${columns}) from 'list.csv' with (${options})`, dir)
}
const judged = async () => {
  const rows = await database.sql`select change, detail from ops.import_lines()`
  return rows.map(({ change, detail }) => `${change}${detail === null ? '' : `: ${detail}`}`)
}

describe.skipIf(!hasPsql)('a file', () => {
  beforeAll(async () => {
    await database.sql`update supply.offers set cost = 5`
  })

  test.each<[string, string, string]>([
    ['in UTF-8', 'sku,supplier,cost\nsku-101,first,6\n', match],
    ['with lines that end as on Windows', 'sku,supplier,cost\r\nsku-101,first,6\r\n', match],
    ['without a line break at its end', 'sku,supplier,cost\nsku-101,first,6', match],
    ['with semicolons', 'sku;supplier;cost\nsku-101;first;6\n', `${match}, delimiter ';'`],
    ['with quotes and blanks', '"sku","supplier","cost"\n" sku-101","first "," 6 "\n', match],
    ['that begins with a BOM', '\ufeffsku,supplier,cost\nsku-101,first,6\n', 'format csv, header'],
    ['that begins with a BOM and has no header', '\ufeffsku-101,first,6\n', 'format csv'],
  ])('%s is loaded', async (_, text, options) => {
    expect(copy(text, options)).toMatch(
      /^NOTICE: {2}import \d+ \(products\): 1 line: 0 new, 1 changed, 0 unchanged, 0 wrong\. Nothing is changed yet\.\n {9}Look: {2}select \* from ops\.import_lines\(\); {6}Apply: {2}select ops\.apply_import\(\);\nCOPY 1\n$/,
    )
    expect(await judged()).toEqual(['changed: cost 5.00 → 6.00'])
  })

  test('keeps what its empty cells and empty strings leave out', async () => {
    copy('sku,supplier,cost\nsku-101,first,\nsku-102,first,""\n')
    expect(await judged()).toEqual(['unchanged', 'unchanged'])
  })

  test('with decimal commas has wrong lines that show the right spelling', async () => {
    copy('sku;supplier;cost\nsku-101;first;6,5\nsku-102;first;1.234,50\n', `${match}, delimiter ';'`)
    expect(await judged()).toEqual([
      "wrong: cost '6,5' is no number: write 6.5",
      "wrong: cost '1.234,50' is no number: write 1234.50",
    ])
  })

  test('keeps quotes, separators and line breaks within a value', async () => {
    const columns = 'product_id, name'
    copy('product_id,name\n101,"100 ""gold"" credits, new\nline"\n', match, columns)
    expect(await judged()).toEqual(['changed: name 100 credits → 100 "gold" credits, new\nline'])
  })

  test.each<[string, string, string, string]>([
    [
      'a column too many',
      'sku,supplier,cost,more\na,b,1,2\n',
      match,
      'wrong number of fields in header line: got 4, expected 3',
    ],
    [
      'columns in another order',
      'supplier,sku,cost\na,b,1\n',
      match,
      'column name mismatch in header line field 1: got "supplier", expected "sku"',
    ],
    [
      'a BOM, with header match',
      '\ufeffsku,supplier,cost\na,b,1\n',
      match,
      'column name mismatch in header line field 1: got "\ufeffsku", expected "sku"',
    ],
    ['a value too many in a line', 'sku,supplier,cost\na,b,1,2\n', match, 'extra data after last expected column'],
    ['a value too few in a line', 'sku,supplier,cost\na,b\n', match, 'missing data for column "cost"'],
    ['a quote that does not end', 'sku,supplier,cost\n"a,b,1\n', match, 'unterminated CSV quoted field'],
  ])('with %s is refused as a whole', async (_, text, options, message) => {
    const [before] = await database.sql`select count(*)::int as count from ops.imports`
    const said = copy(text, options)
    expect(said).toContain(`ERROR:  ${message}`)
    const [after] = await database.sql`select count(*)::int as count from ops.imports`
    expect(after?.count).toBe(before?.count)
  })

  test('without lines makes no import', async () => {
    expect(copy('sku,supplier,cost\n')).toBe('NOTICE:  no lines: there is no import\nCOPY 0\n')
  })

  // That each line is read a few times only lets 20,000 lines take seconds.
  test('of many lines is loaded and applied without reading all lines for each, and a second time it changes nothing', async () => {
    const count = 1000
    const lines = Array.from(
      { length: count },
      (_, n) => `s-${n},first,space-trader,Product ${n},${n + 10},RUB,key,${n + 5}`,
    )
    const columns = 'sku, supplier, game_slug, name, price, currency, delivery_type, cost'
    const fileOf = (some: string[]) => `${columns.replaceAll(' ', '')}\n${some.join('\n')}\n`
    expect(copy(fileOf(lines), match, columns)).toContain(
      `${count} lines: ${count} new, 0 changed, 0 unchanged, 0 wrong`,
    )
    await inNewSession(database.url, {}, async (session) => {
      const { rows, statements } = await session.explained((on) => on`select ops.apply_import() as said`)
      expect(rows[0]?.said).toContain(`${count} lines: ${count} new`)
      expect(mostRead(statements)).toBeLessThan(20 * count)
    })
    const [row] = await database.sql`
      select count(*)::int as products, min(cost) as cheapest from ops.offers where sku ~ '^s-' and product_id > 105`
    expect(row).toEqual({ products: count, cheapest: '5.00' })
    const again = copy(fileOf(lines), match, columns)
    expect(again).toContain(`${count} lines: 0 new, 0 changed, ${count} unchanged, 0 wrong`)
  })
})
