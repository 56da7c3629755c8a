import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answered, finishAttempt, leaseAttempt, makeEvent } from '../../support/events.ts'
import { answer, completed, processing } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'
import { operatorLogin } from '../../support/sql/operator_login.ts'

const database = testDatabase()
const sql = () => database.sql
const operator = operatorLogin(database)
let partner: Partner

beforeAll(() => makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  await sql()`delete from supply.alerts`
  partner = await makePartner(sql(), { balance: 100_000 })
})

const alerts = () => operator().sql`select * from ops.alerts order by cause, hour`
const states = async () => (await alerts()).map(({ state }) => state)
const close = async () => (await sql()`select work.close_alerts() as closed`)[0]?.closed
const jobs = async () => (await sql()`select from ops.queue where task = 'alert_operators'`).length

/** Does what a worker does with the job of an alert; returns what it told. */
async function tell(): Promise<string[]> {
  const told: string[] = []
  for (const { alert_id: id } of await alerts()) {
    for (;;) {
      const [notice] = await sql()`select * from work.begin_notification(${id})`
      if (notice === undefined) break
      told.push(`${notice.status} ${notice.cause}`)
      await sql()`select work.finish_notification(${id}, ${notice.status})`
    }
  }
  await sql()`delete from graphile_worker._private_jobs where task_id in (
    select id from graphile_worker._private_tasks where identifier = 'alert_operators')`
  return told
}

async function newItem(quantity?: number): Promise<string> {
  const items = quantity === undefined ? {} : { items: [{ productId: products.key, quantity }] }
  return (await place(sql(), partner, items)).body.items[0]?.id ?? ''
}

async function deadEvent(): Promise<string> {
  const id = await makeEvent(sql(), partner)
  await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(410))
  return id
}

async function stuckItem(): Promise<string> {
  const item = await newItem()
  await answer(sql(), item, processing())
  await sql()`update supply.order_items set sent_at = now() - interval '2 days' where id = ${item}`
  await answer(sql(), item, processing())
  return item
}

describe('an alert closes by itself', () => {
  test('of dead letters when all of that reason were redelivered, and opens again when one dies again', async () => {
    const cause = `dead_letter:http_4xx:account ${partner.accountId}`
    const ids = [await deadEvent(), await deadEvent()]
    expect(await tell()).toEqual([`firing ${cause}`])
    expect(await close()).toBe(0)
    await operator().sql`select ops.redeliver(${ids[0] ?? ''})`
    expect([await close(), await states()]).toEqual([0, ['open']])
    await operator().sql`select ops.redeliver(${ids[1] ?? ''})`
    expect([await close(), await states()]).toEqual([1, ['closed']])
    expect(await tell()).toEqual([`resolved ${cause}`])

    for (const id of ids) await finishAttempt(sql(), await leaseAttempt(sql(), id), answered(410))
    expect(await alerts()).toMatchObject([{ state: 'open', count: 4, closed_at: null, sent_at: null }])
    expect(await tell()).toEqual([`firing ${cause}`])
    expect(await close()).toBe(0)
  })

  test('of a stuck item when it is settled, by its supplier or by hand', async () => {
    const [first, second] = [await stuckItem(), await stuckItem()]
    await answer(sql(), first, completed())
    expect([await close(), await states()]).toEqual([0, ['open']])
    await operator().sql`select ops.settle_item(${second}, 'failed')`
    expect([await close(), await states()]).toEqual([1, ['closed']])
  })

  test('of a held item when it is settled', async () => {
    const item = await newItem(2)
    await answer(sql(), item, completed({ codes: ['A'] }))
    expect([await close(), await states()]).toEqual([0, ['open']])
    await operator().sql`select ops.settle_item(${item}, 'failed')`
    expect([await close(), await states()]).toEqual([1, ['closed']])
    expect(await alerts()).toMatchObject([{ cause: 'item_held:first', count: 1 }])
  })

  test('in each of its hours, and its end is sent once', async () => {
    const first = await stuckItem()
    await tell()
    await sql()`update supply.alerts set hour = hour - interval '1 hour'`
    const second = await stuckItem()
    await tell()
    expect(await states()).toEqual(['open', 'open'])
    for (const item of [first, second]) await answer(sql(), item, completed())
    expect([await close(), await states()]).toEqual([2, ['closed', 'closed']])
    expect(await jobs()).toBe(1)
    expect(await tell()).toEqual(['resolved item_stuck:first'])
  })

  test('before it was sent: then both are sent at once', async () => {
    const item = await stuckItem()
    await answer(sql(), item, completed())
    await close()
    expect(await jobs()).toBe(1)
    expect(await tell()).toEqual(['resolved item_stuck:first'])
  })

  test('not while a transaction raises it again', async () => {
    const item = await stuckItem()
    await answer(sql(), item, completed())
    await sql().begin(async (raising) => {
      await raising`select core.raise_alerts(array[row('item_stuck:first', 'again')::supply.occurrence])`
      expect(await close()).toBe(0)
    })
    expect(await close()).toBe(1)
  })

  test('and what was raised while its end was being sent is sent too', async () => {
    const item = await stuckItem()
    await tell()
    await answer(sql(), item, completed())
    await close()
    const [{ alert_id: id } = {}] = await alerts()
    await sql()`select * from work.begin_notification(${id})`
    const another = await stuckItem()
    await sql()`select work.finish_notification(${id}, 'resolved')`
    expect(await tell()).toEqual(['firing item_stuck:first'])
    await answer(sql(), another, completed())
    expect(await close()).toBe(1)
  })
})

describe('an acknowledged alert', () => {
  test('stays so until its cause is gone, and is open again where it happens again', async () => {
    const item = await stuckItem()
    const [{ alert_id: id } = {}] = await alerts()
    await operator().sql`select ops.acknowledge(${id}, 'the supplier was called')`
    expect([await close(), await states()]).toEqual([0, ['acknowledged']])
    const another = await stuckItem()
    expect(await states()).toEqual(['open'])
    for (const each of [item, another]) await answer(sql(), each, completed())
    expect([await close(), await states()]).toEqual([1, ['closed']])
    expect(await alerts()).toMatchObject([
      { acknowledged_by: operator().name, note: 'the supplier was called' },
    ])
  })

  test('is closed where nothing else could tell that it is over', async () => {
    const item = await newItem()
    await answer(sql(), item, completed())
    const contradict = (codes: string[]) =>
      sql()`select api.record_pushed_result('first', ${item}, ${sql().json({ ...completed({ codes }), status: 'failed' } as never)})`
    await contradict([])
    await tell()
    const [{ alert_id: id } = {}] = await alerts()
    expect([await close(), await states()]).toEqual([0, ['open']])
    await operator().sql`select ops.acknowledge(${id}, 'settled with the supplier')`
    expect(await states()).toEqual(['closed'])
    expect(await tell()).toEqual(['resolved contradicting_result:first'])
    expect(await operator().sql`select from ops.attention where what = 'contradicting result'`).toEqual([])
    await contradict(['another'])
    expect(await states()).toEqual(['open'])
    expect(await operator().sql`select from ops.attention where what = 'contradicting result'`).toHaveLength(
      1,
    )
  })
})

test('an end that was not told is looked after as an alert is', async () => {
  const item = await stuckItem()
  await tell()
  await answer(sql(), item, completed())
  await close()
  await sql()`delete from graphile_worker._private_jobs`
  const missing = async () =>
    (await audit(sql())).filter((row) => JSON.stringify(row).includes('alert_has_a_job')).length
  expect(await missing()).toBe(1)
  await sql()`update supply.alerts set last_at = now() - interval '1 minute', closed_at = now() - interval '1 minute'`
  await sql()`select work.resume_forgotten()`
  expect([await jobs(), await missing()]).toEqual([1, 0])
  expect(await tell()).toEqual(['resolved item_stuck:first'])
})
