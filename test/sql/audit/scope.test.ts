import { beforeAll, describe, expect, test } from 'vitest'
import { closeAlerts } from '../../support/alerts.ts'
import { testDatabase } from '../../support/database.ts'
import { operatorOf } from '../../support/operator.ts'
import { audit, place } from '../../support/orders.ts'
import { makePartner, type Partner } from '../../support/partner.ts'
import { timePasses } from '../../support/sql/passing_time.ts'
import { unchecked, uncheckedUndone } from '../../support/sql/transactions.ts'

// The audit of a database with more orders than it looks at in one go: their numbers have a gap, as after a million.
const database = testDatabase({ catalog: true })
const operator = operatorOf(database)
let partner: Partner
const codes = { oldest: '', old: '', newest: '' }

const order = async () => (await place(database.sql, partner)).body.code

beforeAll(async () => {
  const { sql } = database
  partner = await makePartner(sql)
  const startAt = (id: number) => sql`select setval(pg_get_serial_sequence('supply.orders', 'id'), ${id})`
  codes.oldest = await order()
  await startAt(60_000)
  codes.old = await order()
  await timePasses(sql, '400 days')
  await startAt(100_000)
  codes.newest = await order()
})

/** Which orders the two audits tell of when none of them is charged its total, and which orders are in turn. */
const told = () =>
  uncheckedUndone(database.sql, async (sql) => {
    await sql`update supply.orders set total_amount = total_amount + 1`
    const codesIn = (rows: Iterable<unknown>) =>
      Object.values(codes).filter((code) => JSON.stringify([...rows]).includes(code))
    const inTurn = async () =>
      codesIn(await sql`select code from supply.orders join core.audit_scope s on id > s.after and id <= s.up_to`)
    return {
      inTurn: await inTurn(),
      audit: codesIn(await sql`select * from ops.audit where check_name = 'charge_is_the_orders_total'`),
      all: codesIn(await sql`select * from ops.audit_all() where check_name = 'charge_is_the_orders_total'`),
      inTurnAfterAll: await inTurn(),
    }
  })

describe('of more orders than one audit checks', () => {
  test('ops.audit checks the newest orders each time, and the older ones part by part', async () => {
    const { inTurn, audit: found } = await told()
    expect(found).toContain(codes.newest)
    expect(found).toEqual(inTurn)
  })

  test('each is checked within as many minutes as there are slices', async () => {
    const slices = await database.sql`
      select newest.up_to - newest.after as newest, slice.after % 20000 as begins,
        slice.after = floor(extract(epoch from now()) / 60)::bigint % 6 * 20000 as is_the_minutes,
        slice.up_to = least(slice.after + 20000, newest.after) as ends_at_the_newest
      from core.audit_scope newest, core.audit_scope slice where newest.part = 'newest' and slice.part = 'slice'`
    expect(slices).toMatchObject([{ newest: '20000', begins: '0', is_the_minutes: true, ends_at_the_newest: true }])
  })

  test('ops.audit_all checks all, and does not change ops.audit', async () => {
    const { all, inTurn, inTurnAfterAll } = await told()
    expect(all).toEqual(Object.values(codes))
    expect(inTurnAfterAll).toEqual(inTurn)
  })

  test('the audit reports a balance that is not the sum of its ledger at once, however old', async () => {
    const found = await uncheckedUndone(database.sql, async (sql) => {
      await sql`update supply.ledger set amount = amount + 1 where account_id = ${partner.accountId} and seq = 2`
      return await sql`select check_name from ops.audit where check_name like 'balance%'`
    })
    expect(found).toEqual([{ check_name: 'balance_is_the_sum_of_the_ledger' }])
  })

  test('both find nothing while all is well, for an operator', async () => {
    expect(await audit(operator())).toEqual([])
    expect(await operator()`select * from ops.audit_all()`).toEqual([])
  })
})

test('an alert stays open until its corrected order is checked again', async () => {
  const { sql } = database
  const charge = (more: number) =>
    unchecked(
      sql,
      (tx) => tx`update supply.orders set total_amount = total_amount + ${more} where code = ${codes.newest}`,
    )
  const states = async () => {
    await sql`update supply.audit_runs set ran_at = ran_at - interval '1 minute'`
    await sql`select work.run_audit()`
    await closeAlerts(sql)
    const rows = await sql`select state from ops.alerts where cause = 'audit:charge_is_the_orders_total'`
    return rows.map(({ state }) => state)
  }
  await charge(1)
  expect(await states()).toEqual(['open'])
  await charge(-1)
  expect(await states()).toEqual(['open'])
  await sql`update supply.audit_breaches set seen_at = seen_at - interval '1 hour'`
  expect(await states()).toEqual(['closed'])
})
