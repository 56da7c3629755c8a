import { expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { audit } from '../support/orders.ts'
import { databaseBefore } from './old_database.ts'

const migration = '0030_results'
const database = databaseBefore(migration)
const sql = () => database().sql

type Old = { account: number; endedAt?: string }

/** An order as the release before left it; gives its code. */
async function oldOrder({ account, endedAt }: Old, session = sql()): Promise<string> {
  const [order] = await session`
    insert into supply.orders (code, account_id, idempotency_key, external_order_id, request_items, total_amount, currency,
      payment_code, status, outcome, completed_at)
    select 'ord_' || n, ${account}, n, n, '[]', 10, 'RUB', 'pay_' || n,
      case when ${endedAt ?? null}::text is null then 'processing' else 'completed' end,
      case when ${endedAt ?? null}::text is not null then 'full' end, ${endedAt ?? null}::timestamptz
    from (select gen_random_uuid()::text) as r (n) returning code`
  return order?.code
}

const endOrder = (code: string, session = sql()) => session`
  update supply.orders set status = 'completed', outcome = 'full', completed_at = now() where code = ${code}`
const numbered = async (account: number) =>
  [
    ...(await sql()`
    select r.seq::int, o.code from supply.order_results r join supply.orders o on o.id = r.order_id
    where r.account_id = ${account} order by r.seq`),
  ].map(({ seq, code }) => [seq, code])
const inTurn = (...codes: string[]) => codes.map((code, index) => [index + 1, code])
const number = async () => {
  const [row] = await sql()`select work.number_results() as more`
  return row?.more
}

test('orders that ended before are numbered in the order of their ends, and those that end meanwhile after them', async () => {
  await sql()`insert into supply.accounts (name, kind, mode, currency)
    select n, 'supply', 'test', 'RUB' from unnest('{A,B,C}'::text[]) as n`
  const later = await oldOrder({ account: 1, endedAt: '2026-01-03' })
  const open = await oldOrder({ account: 1 })
  const earlier = await oldOrder({ account: 1, endedAt: '2026-01-02' })
  const ofAnother = await oldOrder({ account: 2, endedAt: '2026-01-01' })
  const [endsLate, ofThird] = [await oldOrder({ account: 1 }), await oldOrder({ account: 3 })]

  // The functions of before end an order, in a transaction that is still open when the new ones are there.
  const old = await sql().reserve()
  const { applied } = await migrate({ databaseUrl: database().url })
  expect(applied).toContain(migration)
  await old`begin`
  await endOrder(endsLate, old)
  expect(await number()).toBe(false)
  for (let n = 0; n < 3; n += 1) expect(await number()).toBe(false)
  // What ends by the new functions waits for those.
  await endOrder(open)
  const idsOf = async (code: string) =>
    (await sql()`select id, account_id from supply.orders where code = ${code}`)[0] ?? {}
  const end = async (code: string) => {
    const { id, account_id } = await idsOf(code)
    await sql()`select core.number_results(${[id]}::bigint[], ${[account_id]}::bigint[])`
  }
  await end(open)
  await endOrder(ofThird)
  await end(ofThird)
  expect([await numbered(1), await numbered(3)]).toEqual([[], []])
  await old`commit`
  old.release()

  // They are all collected then, and one of them numbered: what ends meanwhile goes after the rest.
  const collected = async () =>
    (await sql()`select collected_at from supply.result_collection`)[0]?.collected_at
  // It waits for all transactions of the server, and there may be other tests' ones.
  await expect
    .poll(async () => (await number()) && (await collected()), { timeout: 20_000 })
    .toBeInstanceOf(Date)
  await sql()`select core.number_unnumbered(1, 1)`
  const meanwhile = await oldOrder({ account: 1 })
  await endOrder(meanwhile)
  await end(meanwhile)
  expect(await numbered(1)).toEqual(inTurn(earlier))
  await sql()`select core.number_unnumbered(2, 1)`
  const atOnce = await oldOrder({ account: 2 })
  await endOrder(atOnce)
  await end(atOnce)
  expect(await numbered(2)).toEqual(inTurn(ofAnother, atOnce))
  expect(await number()).toBe(false)
  const [first, second, ...rest] = await numbered(1)
  expect([first, second]).toEqual(inTurn(earlier, later))
  expect(
    rest
      .slice(0, 2)
      .map(([, code]) => code)
      .toSorted(),
  ).toEqual([open, endsLate].toSorted())
  expect(rest.at(-1)).toEqual([5, meanwhile])
  expect(await numbered(3)).toEqual(inTurn(ofThird))

  const next = await oldOrder({ account: 1 })
  await endOrder(next)
  await end(next)
  expect((await numbered(1)).at(-1)).toEqual([6, next])
  const found = (await audit(sql())) as { check_name: string }[]
  expect(found.filter(({ check_name }) => check_name.includes('result'))).toEqual([])
})
