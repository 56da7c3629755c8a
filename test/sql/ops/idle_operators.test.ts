import pg from 'pg'
import { expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { balanceOf, place } from '../../support/orders.ts'

const { database, sql: superuser, operator: sql, partner, order } = itemTests()

const idleLimit = `select current_setting('idle_in_transaction_session_timeout') as limit`

test('an open transaction that holds a partner ends after 5 s without a statement, and orders go on', async () => {
  const { accountId } = partner()
  const session = new pg.Client({ connectionString: database.url })
  const end = Promise.withResolvers<Error>()
  session.on('error', end.resolve)
  await session.connect()
  await session.query('begin')
  await session.query(`select ops.deposit(${accountId}, 5, 'forgotten')`)
  const free = () => superuser()`select from supply.accounts where id = ${accountId} for no key update skip locked`
  expect(await free()).toHaveLength(0)
  expect(await end.promise).toMatchObject({ message: 'terminating connection due to idle-in-transaction timeout' })
  await expect.poll(free).toHaveLength(1)
  expect((await place(superuser(), partner())).result).toBe('created')
  expect(await balanceOf(superuser(), partner())).toBe(989.5)
})

test('a transaction that only reads keeps the limit of its login, and so does the next one after a change', async () => {
  const { accountId } = partner()
  const { code } = await order()
  const [before] = await sql().unsafe(idleLimit)
  await sql().begin(async (tx) => {
    await tx`select * from ops.statement(${accountId}, null, null)`
    await tx`select * from ops.order_story(${code})`
    expect([...(await tx.unsafe(idleLimit))]).toEqual([before])
  })
  await sql().begin(async (tx) => {
    await tx`select ops.deposit(${accountId}, 5, 'invoice')`
    expect([...(await tx.unsafe(idleLimit))]).toEqual([{ limit: '5s' }])
  })
  expect([...(await sql().unsafe(idleLimit))]).toEqual([before])
})
