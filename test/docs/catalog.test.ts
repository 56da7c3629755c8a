import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { hasPsql, psql } from '../support/psql.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/operations/catalog.md'), 'utf8')
const blocks = [...page.matchAll(/^```(csv|psql)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}))
const dir = mkdtempSync(join(tmpdir(), 'supply-page-'))
const database = testDatabase({ catalog: true })

/** The lines of a result without the widths of its columns, which hang on the login. */
const comparable = (text: string) =>
  text
    .replaceAll(/-+/g, '-')
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').trim())
    .filter((line) => line !== '' && !line.startsWith('CONTEXT:'))

describe.skipIf(!hasPsql)('the commands of docs/operations/catalog.md', () => {
  const login = `alice_${process.pid}`
  const url = () => Object.assign(new URL(database.url), { username: login, password: 'secret' }).href
  beforeAll(async () => {
    await database.sql.unsafe(`create role ${login} login password 'secret' in role supply_trade`)
    await database.sql`select ops.upsert_supplier('nova', 'http://127.0.0.1:9', 'token')`
    for (const [id, name, price, cost] of [
      [1017, '60', 89, 52.4],
      [1018, '330', 289, 214],
      [1019, '1,090', 999, 81],
      [2180, '2180', 1999, 1650],
    ] as const) {
      await database.sql`select ops.upsert_product(${id}, 'space-trader', ${`${name} pearls`}, ${price}, 'RUB', 'key')`
      await database.sql`select ops.upsert_offer(${id}, 'nova', ${`pearls-${name.replace(',', '')}`}, ${cost})`
    }
    await database.sql`select ops.upsert_price_list('gold')`
    await database.sql`select ops.set_list_price('gold', 1017, 88)`
    await database.sql`select ops.set_account_list(ops.create_account('Acme'), 'gold')`
  })
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true })
    await database.sql.unsafe(`drop role ${login}`)
  })

  test('print what stands below them', () => {
    expect(blocks.map(({ language }) => language)).toEqual(['csv', 'psql', 'csv', 'psql', 'csv', 'psql', 'psql'])
    writeFileSync(join(dir, 'excel.csv'), '\ufeffsupplier;sku;cost\r\nnova;pearls-60;54,90\r\n\r\n;;\r\n')
    for (const [index, { language, text }] of blocks.entries()) {
      const name = / from '(.*?)'/.exec(blocks[index + 1]?.text ?? '')?.[1]
      if (language === 'csv') writeFileSync(join(dir, name ?? ''), text)
      else for (const step of text.split(/^=> /m).slice(1)) run(step)
    }
    const read = psql(url(), 'select line, change, detail from ops.import_lines()', dir)
    expect(comparable(read).slice(2)).toEqual(['1 | changed | cost 54.10 → 54.90', '(1 row)'])
  })

  /** Runs the command in the first line, and compares what psql prints with the lines below; none: anything but an error. */
  function run(step: string): void {
    const end = step.indexOf('\n')
    const printed = psql(url(), step.slice(0, end), dir).replaceAll(login, 'alice')
    const shown = comparable(step.slice(end))
    if (shown.length === 0) expect(printed).not.toContain('ERROR')
    else expect(comparable(printed).slice(0, shown.length)).toEqual(shown)
  }
})
