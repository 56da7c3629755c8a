import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { audit } from '../../support/orders.ts'
import { visit } from '../../support/sql/admission.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { sql: superuser, operator: sql, partner, newItem } = itemTests()

const accountOf = async (id = partner().accountId) =>
  (await sql()`select * from ops.accounts where account_id = ${id}`)[0]
const deposit = (amount: string, reference: string) =>
  oneValue<string>(
    sql()`select ops.deposit(${partner().accountId}, ${amount}, ${reference}, allow => '{known_reference}')`,
  )
const adjust = (amount: number, reference: string, note: string) =>
  oneValue<string>(sql()`select ops.adjust(${partner().accountId}, ${amount}, ${reference}, ${note})`)
const ledger = async () => [
  ...(await sql()`
    select seq::int, type, amount, balance_after, currency, reference, note from ops.ledger
    where account_id = ${partner().accountId} order by seq desc`),
]

test('a new account by default is an active, live supply account in roubles without money', async () => {
  expect(await accountOf(await oneValue(sql()`select ops.create_account('Acme')`))).toMatchObject({
    ...{ name: 'Acme', kind: 'supply', mode: 'live', active: true, currency: 'RUB' },
    ...{ balance: '0.00', in_orders: '0.00' },
  })
  const given = { kind: 'storefront', mode: 'test', currency: 'EUR' }
  const id = await oneValue(sql()`
    select ops.create_account(name => 'Shop', kind => 'storefront', mode => 'test', currency => 'EUR')`)
  expect(await accountOf(id)).toMatchObject(given)
  expect(await lastLogged(sql())).toEqual({
    ...{ action: 'create_account', subject: `account ${id}`, detail: { name: 'Shop', ...given } },
  })
})

test('a balance leaves room for the refunds of open orders', async () => {
  await newItem()
  for (let n = 1; n <= 9; n += 1) await deposit('100000000000', `invoice ${n}`)
  await expect(deposit('100000000000', 'too much')).rejects.toThrow('more than 999999999999.99')
  await expect(deposit('99999999000', 'a kopeck too much')).rejects.toThrow('and what open orders may refund')
  expect(await deposit('99999998999.99', 'as much as fits')).toBe('999999999989.49')
})

describe('a deposit', () => {
  test('adds to the balance, to the ledger and to the log', async () => {
    expect(await deposit('100.5', 'invoice 1')).toBe('1100.50')
    expect(await deposit('0.01', 'invoice 2')).toBe('1100.51')
    expect(await accountOf()).toMatchObject({ balance: '1100.51' })
    expect((await ledger())[0]).toEqual({
      ...{ seq: 3, type: 'deposit', amount: '0.01', balance_after: '1100.51', currency: 'RUB' },
      ...{ reference: 'invoice 2', note: null },
    })
    expect(await lastLogged(sql())).toMatchObject({ action: 'deposit', subject: `account ${partner().accountId}` })
    expect(await audit(sql())).toEqual([])
  })
})

test('an adjustment may take the balance down to zero and no further, and keeps the note', async () => {
  const { accountId } = partner()
  await expect(adjust(-1000.01, 'a', 'too much')).rejects.toMatchObject({
    ...refusals.belowZero,
    message: expect.stringMatching(
      new RegExp(`^account ${accountId} \\(.+\\) has 1000.00 RUB: -1000.01 would bring it below zero$`),
    ),
    hint: 'Nothing is booked. Book what the balance covers now, and the rest later.',
  })
  for (const _ of ['once', 'again']) expect(await adjust(-1000, 'a', 'all of it')).toBe('0.00')
  expect((await ledger())[0]).toMatchObject({ seq: 2, type: 'adjustment', amount: '-1000.00', note: 'all of it' })
  expect(await lastLogged(sql())).toMatchObject({ action: 'adjust', detail: { note: 'all of it' } })
})

describe('an account', () => {
  test('has low_balance at or below its threshold', async () => {
    await sql()`select ops.set_low_balance_threshold(${partner().accountId}, 999.99)`
    expect(await accountOf()).toMatchObject({ low_balance: false })
    await sql()`select ops.set_low_balance_threshold(${partner().accountId}, 1000)`
    expect(await accountOf()).toMatchObject({ low_balance: true, low_balance_threshold: '1000.00' })
  })

  test('has a webhook secret from its first delivery on, always the same, and who saw it is logged', async () => {
    const { accountId } = partner()
    const secretOf = () => oneValue(sql()`select ops.webhook_secret(${accountId})`)
    expect(await secretOf()).toBeNull()
    const secret = 'a'.repeat(64)
    await superuser()`select work.keep_webhook_secret(${accountId}, ${secret})`
    expect(await secretOf()).toBe(secret)
    expect(await lastLogged(sql())).toEqual({ action: 'webhook_secret', subject: `account ${accountId}`, detail: {} })
    await superuser()`update supply.webhook_secrets set secret = 'sealed:k1:x' where account_id = ${accountId}`
    await expect(secretOf()).rejects.toMatchObject({
      message: `the secret of account ${accountId} is sealed with DATA_KEYS`,
      hint: `npm run webhook-secret -- ${accountId} shows it.`,
    })
    expect(await oneValue(sql()`select secret from ops.stored_webhook_secret(${accountId})`)).toBe('sealed:k1:x')
  })
})

test('a request budget is set for a network, changed and removed, and the narrowest network counts', async () => {
  const setLimit = (network: string, perMinute: number | null) =>
    sql()`select ops.set_rate_limit(${network}, ${perMinute})`
  const limitFor = async (client: string) => (await visit(superuser(), { client, count: true })).limit
  await setLimit('198.51.100.0/24', 1000)
  await setLimit('198.51.100.7', 2000)
  await setLimit('198.51.100.0/24', 1500)
  await setLimit('2001:db8:1::/48', 900)
  expect([...(await sql()`select network::text, per_minute from ops.rate_limits order by network`)]).toEqual([
    { network: '198.51.100.0/24', per_minute: 1500 },
    { network: '198.51.100.7/32', per_minute: 2000 },
    { network: '2001:db8:1::/48', per_minute: 900 },
  ])
  expect(await limitFor('198.51.100.8')).toBe(1500)
  expect(await limitFor('198.51.100.7')).toBe(2000)
  expect(await limitFor('2001:db8:1:2::3')).toBe(900)
  await setLimit('198.51.100.7', null)
  await setLimit('2001:db8:1:2::3', 70)
  expect(await limitFor('2001:db8:1:2::4')).toBe(70)
  expect(await limitFor('2001:db8:1:3::4')).toBe(900)
  expect(await limitFor('198.51.100.7')).toBe(1500)
  expect(await limitFor('203.0.113.1')).toBe(500)
})
