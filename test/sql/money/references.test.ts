import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { lastLogged, operatorOf, refusals } from '../../support/operator.ts'
import { makePartner } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { explainingSession, mostRead, scansOf } from '../../support/sql/plans.ts'

const database = testDatabase()
const sql = operatorOf(database)
/** All that counts as blank: white space and what has no width. */
const blanks = [
  ...'\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
  ...'\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff',
].join('')
let account: number

beforeEach(async () => {
  account = (await makePartner(database.sql, { balance: 0 })).accountId
})

const deposit = (reference: string, amount = 10) =>
  oneValue<string>(sql()`select ops.deposit(${account}, ${amount}, ${reference}, allow => '{known_reference}')`)
const adjust = (reference: string, amount: number) =>
  oneValue<string>(sql()`select ops.adjust(${account}, ${amount}, ${reference}, 'fees')`)
const references = async () => {
  const rows = await sql()`select reference from ops.ledger where account_id = ${account} order by seq`
  return rows.map(({ reference }) => reference)
}

describe('a reference counts once', () => {
  test.each([
    ['r3', 'R3'],
    ['r3', 'r3 '],
    ['R3', ' r3'],
    ['r3', `${blanks}r3${blanks}`],
    ['Счёт № 17', 'СЧЁТ № 17\u00a0'],
  ])('%j and %j are one deposit', async (first, second) => {
    expect(await deposit(first)).toBe('10.00')
    expect(await deposit(second)).toBe('10.00')
    expect(await references()).toEqual([first])
    await expect(deposit(second, 11)).rejects.toMatchObject(refusals.taken)
    await expect(adjust(second, 10)).rejects.toMatchObject(refusals.taken)
  })

  test('for an adjustment, too', async () => {
    await deposit('first')
    expect(await adjust('fee 1', -3)).toBe('7.00')
    expect(await adjust(' Fee 1\u200b', -3)).toBe('7.00')
    await expect(adjust('FEE 1', -4)).rejects.toMatchObject(refusals.taken)
  })

  test('and is stored trimmed, in its own case, in ledger and log', async () => {
    await deposit(`${blanks}Invoice  17${blanks}`)
    expect(await references()).toEqual(['Invoice  17'])
    expect(await lastLogged(sql())).toMatchObject({ detail: { reference: 'Invoice  17' } })
    expect(await deposit('invoice 17')).toBe('20.00')
  })

  test('by a unique index, whatever writes to the table', async () => {
    await deposit('r3')
    const again = database.sql`
      insert into supply.ledger (account_id, seq, type, amount, balance_after, currency, reference, plain_reference, hash)
      values (${account}, 2, 'deposit', 1, 11, 'RUB', 'R3', 'r3', sha256('3'))`
    await expect(again).rejects.toMatchObject({ ...refusals.taken, constraint_name: 'ledger_plain_reference' })
  })
})

test.each(['', ' ', blanks, 'x'.repeat(201), null])('%j is no reference', async (reference) => {
  await expect(deposit(reference as string)).rejects.toMatchObject(refusals.wrongArgument)
})

test('blanks around a reference do not count towards its length', async () => {
  await deposit(` ${'x'.repeat(200)} `)
  expect(await references()).toEqual(['x'.repeat(200)])
})

test('a deposit finds an account that the same statement makes', async () => {
  const made = sql()`select ops.deposit(ops.create_account('Made here'), 10, 'made here')`
  expect(await oneValue<string>(made)).toBe('10.00')
})

test('a reference is found by an index', async () => {
  await deposit('Ч1', 9)
  await database.sql`
    insert into supply.ledger (account_id, seq, type, amount, balance_after, currency, reference, plain_reference, hash)
    select ${account}, n, 'deposit', 1, 1, 'RUB', 'many ' || n, 'many ' || n, sha256('3') from generate_series(100, 5000) n`
  await database.sql`analyze supply.ledger`
  const session = await explainingSession(database.url, {})
  const { statements } = await session.explained((on) => on`select core.post_once('deposit', ${account}, 9, 'ч1 ')`)
  await session.end()
  expect(scansOf(statements, 'ledger')).toEqual(['ledger_plain_reference'])
  expect(mostRead(statements.filter(({ text }) => text.includes('supply.ledger')))).toBeLessThanOrEqual(5)
})
