import { beforeEach, describe, expect, test } from 'vitest'
import { cardText } from '../../../src/messages/cards.ts'
import { createSealing } from '../../../src/sealing/sealing.ts'
import { createSealTyped } from '../../../tasks/seal_typed.ts'
import { dataKeysOf } from '../../support/data_keys.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed } from '../../support/items.ts'
import { makeStock, sell } from '../../support/stock.ts'

const { sql, operator, keys, database } = itemTests({ isolated: true, audited: true, balance: 10_000 })
const sealing = createSealing(dataKeysOf('k1'), 'fingerprint key')
const load = (codes: string[], options: { batch?: string; cost?: number } = {}) =>
  operator()`select ops.load_codes('vault', 'v-1', ${codes}, ${options.cost ?? null}, ${options.batch ?? null}) as n`
type Line = { supplier?: string; sku?: string; code?: string; [column: string]: string | undefined }
const stage = (lines: Line[]) =>
  operator().begin(async (tx) => {
    for (const line of lines) await tx`insert into ops.import_codes ${tx({ supplier: 'vault', sku: 'v-1', ...line })}`
  })
const stock = async () => {
  const [row] = await operator()`select free, sold, expired, withdrawn, unsealed, duplicates from ops.stock`
  return row
}
const lines = () => operator()`select line, subject, change, detail from ops.import_lines()`
/** Runs the task that seals what operators typed, until nothing is left. */
async function seal(): Promise<void> {
  const client = { call: (name: string, args: Record<string, unknown>) => call(name, args) }
  const task = createSealTyped({ db: client as never, sealing })
  await task({ id: '00000000-0000-7000-8000-000000000000' }, {} as never)
}
async function call(name: string, args: Record<string, unknown>) {
  const named = Object.keys(args).map((arg, place) => `${arg} => $${place + 1}`)
  const text = `select * from ${name}(${named.join(', ')})`
  return database.sql.begin(async (worker) => {
    await worker`set local lock_timeout = '10ms'`
    return [...(await worker.unsafe(text, Object.values(args) as never[]))]
  })
}

beforeEach(() => makeStock(sql()))

describe('a code is loaded once', () => {
  test('without blanks at its ends, by one call or a file, and says what is there already', async () => {
    expect((await load([' A ', 'B'], { batch: 'b1' }))[0]?.n).toBe(2)
    const { item } = await keys(1)
    await sell(sql(), [item])
    const other = await keys(3)
    await answer(sql(), other.item, completed({ codes: ['X', 'Y', cardText({ code: 'Z', pin: '1' })] }))
    for (const code of ['A', 'B', 'Z', 'C']) {
      const refusal: Error = await load(code === 'C' ? ['C', 'C '] : ['OK', code]).then(
        () => new Error(),
        (error) => error,
      )
      expect(refusal.message).toMatch(/^1 of 2 codes cannot be loaded, such as codes\[2\]: /)
      expect(refusal.message).not.toMatch(/: .*\b[ABCZ]\b(?! has)/)
    }
    await stage([
      { code: 'A' },
      { code: 'B', pin: '7' },
      { code: 'D' },
      { code: ' D' },
      { code: 'Z' },
      { sku: '', code: 'E' },
    ])
    expect(await lines()).toMatchObject([
      { line: 1, change: 'wrong', detail: expect.stringMatching(/^order ord_\w+ has this code$/) },
      { change: 'wrong', detail: 'the stock has this code in batch b1' },
      { change: 'new', subject: 'vault / sku v-1' },
      { change: 'wrong', detail: 'the code is in line 3, too' },
      { change: 'wrong', detail: expect.stringMatching(/^order ord_\w+ has this code$/) },
      { change: 'wrong', detail: 'sku must have 1 to 200 characters' },
    ])
    await expect(operator()`select ops.apply_import()`).rejects.toThrow('5 of 6 lines are wrong')
    await operator()`select ops.apply_import(only_valid => true)`
    expect(await stock()).toMatchObject({ free: 2, sold: 1 })
    expect(await sql()`select from supply.import_lines`).toHaveLength(0)
  })

  test('in a batch whose number is the name of no other batch', async () => {
    await load(['A'])
    const [first] = await operator()`select batch::int from ops.stock_batches`
    for (const ahead of [1, 2]) await load([`N${ahead}`], { batch: `${first?.batch + ahead}` })
    await operator()`select ops.load_codes('vault', 'v-2', array['B'], batch => ${`${first?.batch + 4}`})`
    await load(['C'])
    await load(['D'])
    const batches = await operator()`select batch from ops.stock_batches`
    expect(new Set(batches.map(({ batch }) => batch)).size).toBe(6)
  })

  test('by two operators at the same moment', async () => {
    const results = await Promise.allSettled([load(['A', 'B']), load(['B', 'A'])])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await stock()).toMatchObject({ free: 2 })
  })

  test.each([
    { code: 'x'.repeat(1001) },
    { pin: 'x'.repeat(201) },
    { url: 'ftp://x' },
    { expires_at: '2027-13-01' },
    { cost: 'free' },
    { supplier: 'first' },
    { supplier: 'nobody' },
    { code: 'sealed:x' },
    { code: '<none>' },
    { pin: '<none>' },
    { url: '<none>', cost: '<none>' },
  ])('and wrong lines are named and keep no code: %o', async (wrong) => {
    await stage([{ code: 'SECRET', ...wrong }, { code: 'GOOD' }])
    expect(await lines()).toMatchObject([{ change: 'wrong' }, { change: 'new' }])
    expect(JSON.stringify(await lines())).not.toContain('SECRET')
    await operator()`select ops.discard_import()`
    expect(await sql()`select from supply.import_lines`).toHaveLength(0)
  })
})

describe('where data keys exist', () => {
  beforeEach(() => sql()`insert into supply.data_keys (id, fingerprint_key, proof_hash) values ('k1', 'x', 'x')`)

  test('codes are sold when a worker has sealed them, with their parts, and not before', async () => {
    await load(['A', 'B'])
    expect(await stock()).toMatchObject({ free: 0, unsealed: 2 })
    await stage([{ code: 'C', pin: '0042', expires_at: '2099-01-01' }])
    await seal()
    expect(await stock()).toMatchObject({ free: 2, unsealed: 0 })
    expect(JSON.stringify(await sql()`select given from supply.import_lines`)).not.toMatch(/0042|"C"/)
    await operator()`select ops.apply_import()`
    expect(await stock()).toMatchObject({ free: 3, unsealed: 0 })
    const { code, item } = await keys(2)
    expect(await sell(sql(), [item])).toEqual(['settled'])
    const [order] = await sql()`select body::text from api.get_order(
      (select account_id from supply.orders where code = ${code}), ${code})`
    expect(order?.body).not.toMatch(/0042|"A"/)
    expect(await sealing.openCodes(order?.body)).toContain(
      '[{"code" : "C", "pin" : "0042", "expiresAt" : "2099-01-01"}, {"code" : "A"}]',
    )
  })

  test('codes that another transaction has locked are sealed by a later try, and delay no others', async () => {
    await load(['A'])
    await load(['B'])
    const holder = await sql().reserve()
    await holder`begin`
    await holder`select from supply.stock_codes where code = 'A' for no key update`
    await expect(seal()).rejects.toMatchObject({ code: '55P03' })
    expect(await stock()).toMatchObject({ free: 1, unsealed: 1 })
    await holder`rollback`
    holder.release()
    await seal()
    expect(await stock()).toMatchObject({ free: 2, unsealed: 0 })
  })

  test('the token of a supplier that another transaction has locked, and a locked code, delay no other token', async () => {
    await sql()`
      select ops.upsert_supplier(code, 'https://supplier.example', 'a-token') from unnest('{held, other}'::text[]) as code`
    await load(['A'])
    const sealed = async () => {
      const rows = await sql()`select code from supply.suppliers where token like 'sealed:%' order by code`
      return rows.map(({ code }) => code)
    }
    await sql().begin(async (holder) => {
      await holder`select from supply.stock_codes for no key update`
      await holder`select from supply.suppliers where code = 'held' for no key update`
      await expect(seal()).rejects.toMatchObject({ code: '55P03' })
      expect(await sealed()).toEqual(['first', 'other'])
    })
    await seal()
    expect(await sealed()).toEqual(['first', 'held', 'other'])
    expect(await stock()).toMatchObject({ free: 1, unsealed: 0 })
  })

  test('duplicates are found by their fingerprints, are never sold, and are a line until the batch is withdrawn', async () => {
    const other = await keys(1)
    await answer(sql(), other.item, completed({ codes: [sealing.sealCode('DELIVERED', other.item)] }))
    await load(['A', 'B'], { batch: 'first' })
    await seal()
    await load(['A', 'DELIVERED', 'NEW'], { batch: 'second' })
    await stage([{ code: 'B' }])
    await seal()
    expect(await stock()).toMatchObject({ free: 3, duplicates: 2 })
    expect(await lines()).toMatchObject([{ change: 'wrong', detail: 'the stock has this code in batch first' }])
    const attention = () => operator()`
      select subject, remedy, detail from ops.attention where what = 'code duplicate'`
    expect(await attention()).toMatchObject([{ subject: 'batch second' }])
    const { item } = await keys(3)
    await sell(sql(), [item])
    const codes = await sql()`select code from supply.item_keys where item_id = ${item} order by position`
    expect(codes.map((row) => sealing.openCode(row.code, item))).toEqual(['A', 'B', 'NEW'])
    const [{ remedy, detail } = {}] = await attention()
    expect(await operator().begin('read only', async (tx) => [...(await tx.unsafe(remedy))])).toMatchObject([
      { batch: 'second', codes: 3, free: 0, sold: 1, withdrawn: 0 },
    ])
    expect(detail).toContain(`ops.withdraw_codes('second', reason) withdraws the batch, without those that were sold`)
    await operator()`select ops.withdraw_codes('second', 'duplicates')`
    expect(await attention()).toEqual([])
  })
})

test('what was loaded before the first data key is sealed and compared before it is sold', async () => {
  await load(['A', 'B'])
  await sql()`select core.add_data_key('k1', 'x', '{}', 'proof', true)`
  expect(await stock()).toMatchObject({ free: 0, unsealed: 2 })
  // Before the job of that has run, a file brings one of them, and its lines are sealed.
  await stage([{ code: 'A' }])
  await seal()
  expect(await stock()).toMatchObject({ free: 2, unsealed: 0 })
  expect(await lines()).toMatchObject([{ change: 'wrong', detail: expect.stringMatching(/^the stock has this code/) }])
})

describe('what operators see and do', () => {
  test('batches have their figures, and a withdrawn one names the orders that have others of it', async () => {
    await load(['A', 'B', 'C'], { batch: 'b1', cost: 3 })
    await load(['D'])
    const { code, item } = await keys(1)
    await sell(sql(), [item])
    const batches = () => operator()`
      select batch, codes, free, sold, withdrawn, cost, loaded_by from ops.stock_batches order by loaded_at`
    expect(await batches()).toMatchObject([
      { batch: 'b1', codes: 3, free: 2, sold: 1, withdrawn: 0, cost: '3.00', loaded_by: operator.login },
      { codes: 1, free: 1, sold: 0, cost: null },
    ])
    await sql()`update supply.stock_codes set sell_before = now() where code = 'C'`
    const said = await operator.noticesOf((client) => client`select ops.withdraw_codes('b1', 'revoked by the seller')`)
    expect(said.join()).toMatch(/^2 codes of batch b1 are withdrawn.*1 expired, 1 free, 1 sold/)
    expect(said.join()).toContain(`1 orders have others of it: ${code}`)
    expect((await batches())[0]).toMatchObject({ free: 0, sold: 1, withdrawn: 2 })
    const again = await operator.noticesOf((client) => client`select ops.withdraw_codes('b1', 'again')`)
    expect(again.join()).toMatch(/^batch b1 has no codes to withdraw: nothing changed.*1 sold, 2 withdrawn/)
    expect(await operator()`select order_code, codes from ops.stock_orders`).toEqual([{ order_code: code, codes: 1 }])
    await expect(operator()`select ops.withdraw_codes('b2', 'x')`).rejects.toThrow('there is no batch')
    const log = await operator()`select action, detail from ops.operator_log where action like '%codes' order by log_id`
    expect(log.map(({ action }) => action)).toEqual(['load_codes', 'load_codes', 'withdraw_codes'])
    expect(JSON.stringify(log)).not.toMatch(/"[ABCD]"/)
  })

  test('a threshold gives a line and an alert, and both end by themselves', async () => {
    await load(['A', 'B'])
    await operator()`select ops.set_stock_threshold('vault', 'v-1', 2)`
    const low = () => operator()`select detail from ops.attention where what in ('stock low', 'alert')`
    const alert = () => operator()`select closed_at is null as stands from ops.alerts where kind = 'stock_low'`
    const compare = async () => {
      await sql()`select work.compare_alerts()`
      await sql()`select work.collect_alerts()`
    }
    await compare()
    expect([await low(), await alert()]).toEqual([[], []])
    const { item } = await keys(1)
    await sell(sql(), [item])
    await compare()
    expect(await low()).toEqual([{ detail: 'sku v-1 of supplier vault has 1 free codes, its threshold is 2' }])
    expect(await alert()).toEqual([{ stands: true }])
    await load(['C'])
    await compare()
    expect([await low(), await alert()]).toEqual([[], [{ stands: false }]])
    expect((await operator()`select free, threshold, days_left, cost from ops.stock`)[0]).toEqual({
      ...{ free: 2, threshold: 2, days_left: '2.0', cost: '5.00' },
    })
  })

  test('a stock has no address, no token, no limit and no check, and no other supplier has codes', async () => {
    for (const refused of [
      operator()`select ops.upsert_supplier('vault', 'https://x.example', 'token')`,
      operator()`select ops.upsert_supplier('vault', 'https://x.example', 'token', 'http')`,
      operator()`select ops.set_supplier_limits('vault', 1, null)`,
      operator()`select * from ops.check_supplier('vault')`,
      operator()`select ops.sync_supplier('vault')`,
      operator()`select ops.load_codes('first', 'v-1', '{A}')`,
      operator()`select ops.load_codes('vault', ' ', '{A}')`,
      operator()`select ops.load_codes('vault', 'v-1', '{}')`,
    ])
      await expect(refused).rejects.toThrow()
    expect((await operator()`select base_url, token from ops.suppliers where code = 'vault'`)[0]).toEqual({
      ...{ base_url: null, token: null },
    })
  })
})
