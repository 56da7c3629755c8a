import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answer, completed, failed, leaseCalls } from '../../support/items.ts'
import { balanceOf, orderRequest, place, placeAll } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'
import { programsOf } from './page_programs.ts'

const scratch = mkdtempSync(join(tmpdir(), 'reconcile-'))

const database = testDatabase({ catalog: true })
const api = testApi(() => database.url)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe.each(programsOf('reconcile'))('$file', ({ file, path, command }) => {
  const sql = () => database.sql
  const shop = join(scratch, `${file}.db`)
  const later = new Date(Date.now() + 3_600_000).toISOString()
  let partner: Partner

  beforeAll(async () => {
    partner = await makePartner(sql(), { balance: 10_000 })
    await run('2000-01-01') // makes the tables
    await someOrders()
  })

  async function run(until = later) {
    const env = { PATH: process.env.PATH, BASE_URL: api().url, API_KEY: partner.key, DATABASE: shop }
    const child = spawn(command, [path, until], { env })
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    const lines = stdout.trimEnd().split('\n')
    return { code, stderr, differences: lines.slice(0, -1), last: lines.at(-1) }
  }

  /** Asks the shop's own database. */
  function ask(statement: string, ...values: (string | number)[]) {
    const db = new DatabaseSync(shop)
    const rows = db.prepare(statement).all(...values)
    db.close()
    return rows
  }

  function remember(reference: string): void {
    ask('insert into purchases values (?, ?)', reference, '12345')
    ask("insert into supply_orders values (?, '{}', 201, '{}')", reference)
  }

  /** Over a page of movements and of results: orders that end in every way, one that is open, and what operators book. */
  async function someOrders(): Promise<void> {
    const many = Array.from({ length: 101 }, (_, index) => `many-${index}`)
    const placed = await placeAll(
      sql(),
      many.map((externalOrderId, index) => orderRequest(partner, { externalOrderId, ordinal: index + 1 })),
    )
    const calls = await leaseCalls(
      sql(),
      placed.flatMap(({ body }) => body.items.map(({ id }) => id)),
    )
    const results = calls.map(({ item_id, lease_token }, index) => ({
      ...{ ordinal: index + 1, itemId: item_id, leaseToken: lease_token, result: completed() },
    }))
    await sql()`select from work.finish_calls(${sql().json(results as never)}, '24 hours', '30 minutes', 0, null)`

    const none = await place(sql(), partner, { externalOrderId: 'none' })
    await answer(sql(), none.body.items[0]?.id ?? '', failed({ errorCode: 'PLAYER_NOT_FOUND' }))
    const items = [{ productId: products.key, quantity: 3 }, { productId: products.topUp }]
    const partial = await place(sql(), partner, { externalOrderId: 'partial', items })
    await answer(sql(), partial.body.items[0]?.id ?? '', failed({ codes: ['AAAAA'] }))
    await answer(sql(), partial.body.items[1]?.id ?? '', completed())
    await place(sql(), partner, { externalOrderId: 'open' })
    for (const reference of [...many, 'none', 'partial', 'open']) remember(reference)

    await sql()`select ops.deposit(${partner.accountId}, 50, 'second deposit', allow => '{known_reference}')`
    await sql()`select ops.refund_item(${partial.body.items[1]?.id ?? null}, 10.5, 'complaint 1', 'it was the wrong player')`
    while ((await sql()`select work.number_results() as more`)[0]?.more);
  }

  test('makes the database for its owner alone, for answers with keys come into it', () => {
    expect((statSync(shop).mode & 0o077).toString(8)).toBe('0')
  })

  test('finds nothing where there is nothing, however often it runs', async () => {
    const balance = (await balanceOf(sql(), partner)).toFixed(2)
    const found = { code: 0, stderr: expect.not.stringContaining('Error'), differences: [] }
    const last = `until ${later}: closing balance ${balance}, 0 differences`
    expect(await run()).toEqual({ ...found, last })
    expect(ask('select count(*) as rows from statement')).toEqual([{ rows: 1 + 101 + 3 + 2 + 2 }])
    expect(ask('select count(*) as rows from results')).toEqual([{ rows: 103 }])
    expect(await run()).toEqual({ ...found, last })
  })

  test('takes up what came since, and asks for what is after the moment', async () => {
    const [row] = await sql()`select to_json(now()) #>> '{}' as now`
    await place(sql(), partner, { externalOrderId: 'later' })
    remember('later')
    expect(await run(String(row?.now))).toMatchObject({ code: 0, differences: [] })
    expect(ask("select 1 from statement where reference = 'later'")).toEqual([])
    expect(await run()).toMatchObject({ code: 0, differences: [] })
    expect(ask("select cents from statement where reference = 'later'")).toEqual([{ cents: -1050 }])
    expect(await run(String(row?.now))).toMatchObject({ code: 0, differences: [] })
  })

  test('finds an order that one side does not know, and one that was placed twice', async () => {
    await place(sql(), partner, { externalOrderId: 'foreign' })
    await place(sql(), partner, { externalOrderId: 'open', idempotencyKey: 'another key' })
    remember('ghost')
    const { code, differences } = await run()
    expect(code).toBe(1)
    expect(differences.map((line) => line.replace(/ord_\w+/, 'ord_')).sort()).toEqual([
      'foreign: they have it as ord_, and we do not know it',
      'ghost: ordered by us, and they do not know it',
      'open: charged 2 times',
      'open: charged 2 times',
    ])
  })

  test('finds a movement that is missing, and a refund that is not what failed', async () => {
    ask('delete from statement where seq = 7')
    ask("update results set failed = 0 where reference = 'none'")
    const { code, differences } = await run()
    expect(code).toBe(1)
    expect(differences).toEqual(
      expect.arrayContaining([
        'statement: 8 comes after 6',
        'statement: the balance after 8 does not follow',
        'none: refunded 1050, told 1050, failed items 0',
      ]),
    )
  })
})
