import { expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { audit } from '../support/orders.ts'
import { databaseBefore } from './old_database.ts'

const migration = '0024_money'
const database = databaseBefore(migration)
const sql = () => database().sql

test('deposits whose references differ in case or blanks alone hinder no upgrade, and are not booked again', async () => {
  await sql()`
    insert into supply.accounts (name, kind, mode, currency, balance, last_seq) values ('A', 'supply', 'live', 'RUB', 8, 4)`
  const [{ id: account } = { id: 0 }] = await sql()`select id::int from supply.accounts`
  for (const [index, reference] of ['r3', 'R3', 'r3 ', '\u00a0R3\u200b'].entries()) {
    await sql()`
      insert into supply.ledger (account_id, seq, type, amount, balance_after, currency, reference)
      values (${account}, ${index + 1}, 'deposit', 2, ${2 * (index + 1)}, 'RUB', ${reference})`
  }
  expect((await migrate({ databaseUrl: database().url })).applied).toContain(migration)
  const deposit = (amount: number, reference: string) =>
    sql()`select ops.deposit(${account}, ${amount}, ${reference})::int as balance`
  expect(await deposit(2, ' r3')).toEqual([{ balance: 8 }])
  await expect(deposit(3, 'R3')).rejects.toThrow('taken already')
  expect(await deposit(3, 'R4')).toEqual([{ balance: 11 }])
  expect(await audit(sql())).toEqual([])
})
