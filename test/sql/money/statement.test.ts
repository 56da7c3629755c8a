import { beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed } from '../../support/items.ts'
import { makePartner } from '../../support/partner.ts'

const { sql, order, partner } = itemTests()

type Row = {
  at: Date | null
  seq: number | null
  type: string
  amount: number | null
  balance: number
  order_code: string | null
  external_order_id: string | null
  reference: string | null
  note: string | null
}

const statement = async (from: Date | null = null, to: Date | null = null, account = partner().accountId) => [
  ...(await sql()<Row[]>`
    select at, seq::int, type, amount::float, balance::float, order_code, external_order_id, reference, note
    from ops.statement(${account}, ${from}, ${to})`),
]

const at = new Date('2026-01-01T00:00:00Z')
const hours = (count: number) => new Date(at.getTime() + count * 3_600_000)

/** Two entries an hour, from an hour before that moment on: 1 and 2, 3 and 4, 5 and 6 roubles. */
async function sixDeposits(): Promise<number> {
  const { accountId } = await makePartner(sql(), { balance: 0 })
  for (let n = 1; n <= 6; n += 1) await sql()`select ops.deposit(${accountId}, ${n}, ${`deposit ${n} of ${accountId}`})`
  await sql().begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      update supply.ledger set created_at = ${at}::timestamptz + ((seq - 1) / 2 - 1) * interval '1 hour'
      where account_id = ${accountId}`
  })
  return accountId
}

test('a statement has every movement of a balance between its opening and its closing', async () => {
  const { code, item } = await order({ externalOrderId: 'shop-1' })
  await answer(sql(), item, failed())
  await sql()`select ops.adjust(${partner().accountId}, -100, 'fee 1', 'a fee')`
  const rows = await statement()
  const none = { order_code: null, external_order_id: null, reference: null, note: null }
  const ofOrder = { ...none, order_code: code, external_order_id: 'shop-1' }
  expect(rows).toMatchObject([
    { ...none, seq: null, type: 'opening_balance', amount: null, balance: 0 },
    { ...none, seq: 1, type: 'deposit', amount: 1000, balance: 1000, reference: 'first deposit' },
    { ...ofOrder, seq: 2, type: 'order_charge', amount: -10.5, balance: 989.5 },
    { ...ofOrder, seq: 3, type: 'order_refund', amount: 10.5, balance: 1000 },
    { ...none, seq: 4, type: 'adjustment', amount: -100, balance: 900, reference: 'fee 1', note: 'a fee' },
    { ...none, seq: null, type: 'closing_balance', amount: null, balance: 900 },
  ])
  const times = rows.map((row) => Number(row.at))
  expect(times).toEqual([...times].sort((one, other) => one - other))
})

test('a refund by hand names the order of its item', async () => {
  const { code, item } = await order({ externalOrderId: 'shop-2' })
  await answer(sql(), item, completed())
  await sql()`select ops.refund_item(${item}, 3, 'late 1', 'it came late')`
  expect((await statement()).at(-2)).toMatchObject({
    ...{ type: 'adjustment', amount: 3, order_code: code, external_order_id: 'shop-2' },
    ...{ reference: 'late 1', note: 'it came late' },
  })
})

describe('a period begins at its first moment and ends before its last', () => {
  let account: number
  beforeEach(async () => {
    account = await sixDeposits()
  })
  const summary = async (from: Date | null, to: Date | null) => {
    const rows = await statement(from, to, account)
    const [opening, closing] = [rows[0], rows.at(-1)]
    const moved = rows.reduce((sum, { amount }) => sum + (amount ?? 0), 0)
    expect(opening).toMatchObject({ type: 'opening_balance', seq: null })
    expect(closing).toMatchObject({ type: 'closing_balance', seq: null })
    expect((opening?.balance ?? 0) + moved).toBe(closing?.balance)
    return [opening?.balance, rows.slice(1, -1).map(({ seq }) => seq), closing?.balance]
  }

  test('so that balances add up, and periods follow one another', async () => {
    expect(await summary(null, null)).toEqual([0, [1, 2, 3, 4, 5, 6], 21])
    expect(await summary(null, hours(-1))).toEqual([0, [], 0])
    expect(await summary(hours(-1), hours(0))).toEqual([0, [1, 2], 3])
    expect(await summary(hours(0), hours(1))).toEqual([3, [3, 4], 10])
    expect(await summary(hours(1), null)).toEqual([10, [5, 6], 21])
    expect(await summary(hours(2), null)).toEqual([21, [], 21])
    expect(await summary(hours(0), hours(0))).toEqual([3, [], 3])
  })

  test('and has the times of its bounds: by default the account’s creation and now', async () => {
    const bounds = async (from: Date | null, to: Date | null) => {
      const rows = await statement(from, to, account)
      return [rows[0]?.at, rows.at(-1)?.at]
    }
    expect(await bounds(hours(0), hours(1))).toEqual([hours(0), hours(1)])
    const [row] = await sql()`
      select a.created_at as since, now() as until from supply.accounts a where a.id = ${account}`
    const [since, until] = await bounds(null, null)
    expect(since).toEqual(row?.since)
    expect(Number(until)).toBeGreaterThanOrEqual(Number(row?.until))
  })
})

test('an account without movements has a statement, too', async () => {
  const { accountId } = await makePartner(sql(), { balance: 0 })
  expect(await statement(null, null, accountId)).toMatchObject([
    { type: 'opening_balance', balance: 0 },
    { type: 'closing_balance', balance: 0 },
  ])
})

test('the statement of a month ends with a summary', async () => {
  const account = await sixDeposits()
  const month = async (text: string) => [
    ...(await sql()<Row[]>`
      select seq::int, type, amount::float, balance::float, note from ops.statement(${account}, ${text})`),
  ]
  const january = await month('2026-01')
  expect(january.map(({ type }) => type)).toEqual([
    'opening_balance',
    ...Array(4).fill('deposit'),
    'closing_balance',
    'summary',
  ])
  expect(january.at(-1)).toMatchObject({
    amount: 18,
    note: '0 orders: charges 0.00, refunds 0.00; deposits 18.00, adjustments 0.00',
  })
  expect((await month('2025-12')).at(-1)).toMatchObject({ type: 'summary', amount: 3 })
  expect((await month('2026-02')).map(({ balance }) => balance)).toEqual([21, 21, null])
  expect(await month('2026-01-01')).toHaveLength(6)
})

test('the statement of a partner has both bounds in its period, and its balances add up', async () => {
  const account = await sixDeposits()
  const summary = async (created_from: Date | null, created_to: Date | null) => {
    const [row] = await sql()`
      select api.list_transactions(${account}, 100, created_from => ${created_from}, created_to => ${created_to}) as s`
    const { transactions, openingBalance, closingBalance } = row?.s ?? {}
    return [openingBalance, transactions.map(({ seq }: { seq: number }) => seq), closingBalance]
  }
  const [before, after] = [new Date(at.getTime() - 1), new Date(at.getTime() + 1)]
  expect(await summary(null, null)).toEqual([0, [6, 5, 4, 3, 2, 1], 21])
  expect(await summary(null, before)).toEqual([0, [2, 1], 3])
  expect(await summary(at, at)).toEqual([3, [4, 3], 10])
  expect(await summary(after, null)).toEqual([10, [6, 5], 21])
  expect(await summary(after, before)).toEqual([10, [], 3])
  expect(await summary(null, hours(-1000))).toEqual([0, [], 0])
})
