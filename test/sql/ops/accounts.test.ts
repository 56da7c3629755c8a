import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { lastLogged, operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner } from '../../support/partner.ts'

const database = testDatabase()
const sql = operatorOf(database)

async function accountOf(id: number) {
  const [row] = await sql()`select * from ops.accounts where account_id = ${id}`
  return row
}

async function newAccount(): Promise<number> {
  const [row] = await sql()`select ops.create_account('A partner') as id`
  return Number(row?.id)
}

describe('a new account', () => {
  test('by default is an active, live supply account in roubles without money', async () => {
    expect(await accountOf(await newAccount())).toMatchObject({
      name: 'A partner',
      kind: 'supply',
      mode: 'live',
      active: true,
      currency: 'RUB',
      balance: '0.00',
      in_orders: '0.00',
    })
    const [row] = await sql()`
      select ops.create_account(name => 'Shop', kind => 'storefront', mode => 'test', currency => 'EUR') as id`
    expect(await accountOf(Number(row?.id))).toMatchObject({ kind: 'storefront', mode: 'test', currency: 'EUR' })
    expect(await lastLogged(sql())).toEqual({
      action: 'create_account',
      subject: `account ${row?.id}`,
      detail: { name: 'Shop', kind: 'storefront', mode: 'test', currency: 'EUR' },
    })
  })
})

test('a balance leaves room for the refunds of open orders', async () => {
  const rich = await makePartner(database.sql, { balance: 1000 })
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
  await place(database.sql, rich)
  const deposit = (amount: string, reference: string) =>
    sql()`select ops.deposit(${rich.accountId}, ${amount}, ${reference}) as balance`
  for (let n = 1; n <= 9; n += 1) await deposit('100000000000', `invoice ${n}`)
  await expect(deposit('100000000000', 'too much')).rejects.toThrow('more than 999999999999.99')
  await expect(deposit('99999999000', 'a kopeck too much')).rejects.toThrow('and what open orders may refund')
  expect(await deposit('99999998999.99', 'as much as fits')).toEqual([{ balance: '999999999989.49' }])
})

describe('a deposit', () => {
  let account: number
  beforeEach(async () => {
    account = await newAccount()
  })
  const deposit = (amount: string, reference: string | null) =>
    sql()`select ops.deposit(${account}, ${amount}, ${reference}) as balance`

  test('adds to the balance, to the ledger and to the log', async () => {
    expect(await deposit('100.5', 'invoice 1')).toMatchObject([{ balance: '100.50' }])
    expect(await deposit('0.01', 'invoice 2')).toMatchObject([{ balance: '100.51' }])
    expect(await accountOf(account)).toMatchObject({ balance: '100.51' })
    const ledger = await sql()`
      select seq::int, type, amount, balance_after, currency, reference from ops.ledger
      where account_id = ${account} order by seq desc`
    expect(ledger[0]).toEqual({
      ...{ seq: 2, type: 'deposit', amount: '0.01', balance_after: '100.51', currency: 'RUB' },
      reference: 'invoice 2',
    })
    expect(await lastLogged(sql())).toMatchObject({ action: 'deposit', subject: `account ${account}` })
    expect(await audit(sql())).toEqual([])
  })

  test('with a repeated reference changes nothing and returns the present balance', async () => {
    await deposit('100', 'invoice 1')
    await sql()`select ops.adjust(${account}, -30, 'fee', 'a fee')`
    const logged = await timesLogged(sql())
    expect(await deposit('100.00', 'invoice 1')).toMatchObject([{ balance: '70.00' }])
    expect(await sql()`select from ops.ledger where account_id = ${account}`).toHaveLength(2)
    expect(await timesLogged(sql())).toBe(logged)
  })
})

describe('an adjustment', () => {
  test('may take the balance down to zero and no further, and keeps the note', async () => {
    const { accountId } = await makePartner(database.sql, { balance: 50 })
    await expect(sql()`select ops.adjust(${accountId}, -50.01, 'a', 'too much')`).rejects.toMatchObject({
      ...refusals.belowZero,
      message: `account ${accountId} has 50.00: -50.01 would bring it below zero`,
    })
    expect(await sql()`select ops.adjust(${accountId}, -50, 'a', 'all of it') as balance`).toMatchObject([
      { balance: '0.00' },
    ])
    expect(await sql()`select ops.adjust(${accountId}, -50, 'a', 'all of it') as balance`).toMatchObject([
      { balance: '0.00' },
    ])
    const [entry] = await sql()`
      select type, amount, note from ops.ledger where account_id = ${accountId} order by seq desc limit 1`
    expect(entry).toEqual({ type: 'adjustment', amount: '-50.00', note: 'all of it' })
    expect(await lastLogged(sql())).toMatchObject({ action: 'adjust', detail: { note: 'all of it' } })
  })
})

describe('an account', () => {
  test('is closed and opened', async () => {
    const account = await newAccount()
    await sql()`select ops.set_account_active(${account}, false)`
    expect(await accountOf(account)).toMatchObject({ active: false })
    await sql()`select ops.set_account_active(${account}, true)`
    expect(await accountOf(account)).toMatchObject({ active: true })
  })

  test('has low_balance at or below its threshold', async () => {
    const { accountId } = await makePartner(database.sql, { balance: 50 })
    await sql()`select ops.set_low_balance_threshold(${accountId}, 49.99)`
    expect(await accountOf(accountId)).toMatchObject({ low_balance: false })
    await sql()`select ops.set_low_balance_threshold(${accountId}, 50)`
    expect(await accountOf(accountId)).toMatchObject({ low_balance: true, low_balance_threshold: '50.00' })
  })

  test('has a webhook secret from its first delivery on, always the same, and who saw it is logged', async () => {
    const partner = await makePartner(database.sql)
    const secretOf = async () => {
      const [row] = await sql()`select ops.webhook_secret(${partner.accountId}) as secret`
      return row?.secret
    }
    expect(await secretOf()).toBeNull()
    const secret = 'a'.repeat(64)
    await database.sql`select work.keep_webhook_secret(${partner.accountId}, ${secret})`
    expect(await secretOf()).toBe(secret)
    expect(await lastLogged(sql())).toEqual({
      action: 'webhook_secret',
      subject: `account ${partner.accountId}`,
      detail: {},
    })
    await database.sql`update supply.webhook_secrets set secret = 'sealed:k1:x' where account_id = ${partner.accountId}`
    await expect(secretOf()).rejects.toMatchObject({
      message: `the secret of account ${partner.accountId} is sealed with DATA_KEYS`,
      hint: `npm run webhook-secret -- ${partner.accountId} shows it.`,
    })
    const [stored] = await sql()`select secret from ops.stored_webhook_secret(${partner.accountId})`
    expect(stored?.secret).toBe('sealed:k1:x')
  })
})

describe('a request budget', () => {
  const limits = () => sql()`select network::text, per_minute from ops.rate_limits order by network`
  const limitFor = async (client: string) => {
    const request = { ordinal: 1, client, keyHash: null, origin: null, write: false, allowOrigin: false }
    const [row] = await database.sql`
      select limit_per_minute from api.admit(${database.sql.json([{ ...request, count: true }])}, 500)`
    return row?.limit_per_minute
  }

  test('is set for a network, changed and removed, and the narrowest network counts', async () => {
    await sql()`select ops.set_rate_limit('198.51.100.0/24', 1000)`
    await sql()`select ops.set_rate_limit('198.51.100.7', 2000)`
    await sql()`select ops.set_rate_limit('198.51.100.0/24', 1500)`
    await sql()`select ops.set_rate_limit('2001:db8:1::/48', 900)`
    expect([...(await limits())]).toEqual([
      { network: '198.51.100.0/24', per_minute: 1500 },
      { network: '198.51.100.7/32', per_minute: 2000 },
      { network: '2001:db8:1::/48', per_minute: 900 },
    ])
    expect(await limitFor('198.51.100.8')).toBe(1500)
    expect(await limitFor('198.51.100.7')).toBe(2000)
    expect(await limitFor('2001:db8:1:2::3')).toBe(900)
    await sql()`select ops.set_rate_limit('198.51.100.7', null)`
    await sql()`select ops.set_rate_limit('2001:db8:1:2::3', 70)`
    expect(await limitFor('2001:db8:1:2::4')).toBe(70)
    expect(await limitFor('2001:db8:1:3::4')).toBe(900)
    expect(await limitFor('198.51.100.7')).toBe(1500)
    expect(await limitFor('203.0.113.1')).toBe(500)
  })
})
