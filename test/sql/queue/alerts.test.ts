import type postgres from 'postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { closeAlerts, collectAlerts, passAnHour } from '../../support/alerts.ts'
import { answered, leaseAttempts } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, processing } from '../../support/items.ts'
import { audit } from '../../support/orders.ts'
import { makePartner } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { sql, operator, partner, newItem, keys, newEvent, attempt, push } = itemTests({ balance: 100_000 })

beforeEach(() => sql()`truncate supply.alerts, supply.occurrences, supply.acknowledgements`)

const alerts = () => operator()`select * from ops.alerts order by cause, hour`
const states = async () => (await alerts()).map(({ state }) => state)
const jobs = async () => (await sql()`select from ops.queue where task = 'alert_operators'`).length

/** Closes the alerts whose cause is gone. Returns how many it closed, and the states of all. */
const close = async () => [await closeAlerts(sql()), ...(await states())]

/** Does what a worker does with the jobs of alerts; returns what it sent. */
async function send(): Promise<string[]> {
  const sent: string[] = []
  await collectAlerts(sql())
  for (const { alert_id: id } of await alerts()) {
    for (;;) {
      const [notice] = await sql()`select * from work.begin_notification(${id})`
      if (notice === undefined) break
      sent.push(`${notice.status} ${notice.cause}`)
      await sql()`select work.finish_notification(${id}, ${notice.status})`
    }
  }
  await sql()`delete from graphile_worker._private_jobs where task_id in (
    select id from graphile_worker._private_tasks where identifier = 'alert_operators')`
  return sent
}

async function deadEvent(): Promise<string> {
  const id = await newEvent()
  await attempt(id, answered(410))
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
  test('when all dead letters of its reason were redelivered, and opens again with the next dead letter', async () => {
    const cause = `dead_letter:http_4xx:account ${partner().accountId}`
    const ids = [await deadEvent(), await deadEvent()]
    expect(await send()).toEqual([`firing ${cause}`])
    await operator()`select ops.redeliver(${ids[0] ?? ''})`
    expect(await close()).toEqual([0, 'open'])
    await operator()`select ops.redeliver(${ids[1] ?? ''})`
    expect(await close()).toEqual([1, 'closed'])
    expect(await send()).toEqual([`resolved ${cause}`])

    for (const id of ids) await attempt(id, answered(410))
    expect(await alerts()).toMatchObject([{ state: 'open', count: 4, closed_at: null, sent_at: null }])
    expect(await send()).toEqual([`firing ${cause}`])
  })

  test('when its stuck items are settled, by their supplier and by an operator', async () => {
    const [first, second] = [await stuckItem(), await stuckItem()]
    await answer(sql(), first, completed())
    expect(await close()).toEqual([0, 'open'])
    await operator()`select ops.settle_item(${second}, 'failed', reason => 'a test')`
    expect(await close()).toEqual([1, 'closed'])
  })

  test('when its held item is settled', async () => {
    const { item } = await keys(2)
    await answer(sql(), item, completed({ codes: ['A'] }))
    expect(await close()).toEqual([0, 'open'])
    await operator()`select ops.settle_item(${item}, 'failed', reason => 'a test')`
    expect(await close()).toEqual([1, 'closed'])
    expect(await alerts()).toMatchObject([{ cause: 'item_held:first', count: 1 }])
  })

  test('in each of its hours, and its end is sent once', async () => {
    const first = await stuckItem()
    await send()
    await passAnHour(sql())
    const second = await stuckItem()
    await send()
    expect(await states()).toEqual(['open', 'open'])
    for (const item of [first, second]) await answer(sql(), item, completed())
    expect(await close()).toEqual([2, 'closed', 'closed'])
    expect(await jobs()).toBe(1)
    expect(await send()).toEqual(['resolved item_stuck:first'])
  })

  test('before it was sent: then only its end is sent', async () => {
    const item = await stuckItem()
    await collectAlerts(sql())
    await answer(sql(), item, completed())
    await close()
    expect(await jobs()).toBe(1)
    expect(await send()).toEqual(['resolved item_stuck:first'])
  })

  test('while a transaction raises it again, which opens it again when it commits', async () => {
    await answer(sql(), await stuckItem(), completed())
    await sql().begin(async (raising) => {
      await raising`select core.raise_alerts(array[row('item_stuck', 'first', null, 'again')::supply.occurrence])`
      expect(await close()).toEqual([1, 'closed'])
    })
    expect(await states()).toEqual(['open'])
    expect(await close()).toEqual([1, 'closed'])
  })

  test('and a new fault that comes while its end is being sent is sent, too', async () => {
    const item = await stuckItem()
    await send()
    await answer(sql(), item, completed())
    await close()
    const [{ alert_id: id } = {}] = await alerts()
    await sql()`select * from work.begin_notification(${id})`
    const another = await stuckItem()
    await sql()`select work.finish_notification(${id}, 'resolved')`
    expect(await send()).toEqual(['firing item_stuck:first'])
    await answer(sql(), another, completed())
    expect(await close()).toEqual([1, 'closed'])
  })
})

describe('an acknowledged alert', () => {
  test('stays so until its cause is gone, and opens again when the fault happens again', async () => {
    const item = await stuckItem()
    const [{ alert_id: id } = {}] = await alerts()
    const acknowledge = () =>
      operator.noticesOf((on) => on`select ops.acknowledge(${id ?? ''}, 'the supplier was called')`)
    await acknowledge()
    expect(await acknowledge()).toEqual([expect.stringMatching(/with this note already: nothing changed$/)])
    expect(await close()).toEqual([0, 'acknowledged'])
    const another = await stuckItem()
    expect(await states()).toEqual(['open'])
    for (const each of [item, another]) await answer(sql(), each, completed())
    expect(await close()).toEqual([1, 'closed'])
    expect(await alerts()).toMatchObject([{ acknowledged_by: operator.login, note: 'the supplier was called' }])
  })

  test('is closed when no later event could close it', async () => {
    const item = await newItem()
    await answer(sql(), item, completed())
    const contradict = (codes: string[]) => push('first', item, { ...completed({ codes }), status: 'failed' })
    const attention = () => operator()`select from ops.attention where what = 'contradicting result'`
    await contradict([])
    await send()
    const [{ alert_id: id } = {}] = await alerts()
    expect(await close()).toEqual([0, 'open'])
    await operator()`select ops.acknowledge(${id}, 'settled with the supplier')`
    expect(await close()).toEqual([1, 'closed'])
    expect(await send()).toEqual(['resolved contradicting_result:first'])
    expect(await attention()).toEqual([])
    await contradict(['another'])
    expect(await states()).toEqual(['open'])
    expect(await attention()).toHaveLength(1)
  })
})

describe('an alert whose row another transaction has locked', () => {
  /** Dead letters of two accounts, in one call with a delivery of a third. Returns the states of their events. */
  async function threePartners(): Promise<string[]> {
    const others = [await makePartner(sql()), await makePartner(sql())]
    const events = [await newEvent(), ...(await Promise.all(others.map((other) => newEvent(other))))]
    const attempts = await leaseAttempts(sql(), events)
    const results = attempts.map(({ event_id: eventId, lease_token: leaseToken }, place) => ({
      ...{ ordinal: place + 1, eventId, leaseToken, result: answered(eventId === events[2] ? 200 : 410) },
    }))
    await sql().begin(async (tx) => {
      await tx`set local lock_timeout = '2s'`
      await tx`select from work.finish_deliveries(${tx.json(results as never)}, 0, null)`
    })
    const rows = await sql()`select id, state from supply.events where id = any (${events})`
    return events.map((id) => rows.find((row) => row.id === id)?.state)
  }

  test.each<[string, (tx: postgres.TransactionSql, id: string) => Promise<unknown>]>([
    ['by ops.acknowledge', (tx, id) => tx`select ops.acknowledge(${id}, 'looking')`],
    ['for update', (tx, id) => tx`select from supply.alerts where id = ${id} for update`],
  ])('%s delays no event of any account, and no alert of another', async (how, lock) => {
    await deadEvent()
    await send()
    const [{ alert_id: id } = {}] = await alerts()
    const session = how === 'for update' ? sql() : operator()
    await session.begin(async (tx) => {
      await lock(tx, id)
      expect(await threePartners()).toEqual(['dead', 'dead', 'delivered'])
      expect(
        await sql().begin(async (worker) => {
          await worker`set local lock_timeout = '2s'`
          return oneValue(worker`select work.collect_alerts()`)
        }),
      ).toBe(1)
      expect((await alerts()).map(({ count }) => count).sort()).toEqual([1, 2])
    })
    expect(await send()).toHaveLength(1)
    expect((await sql()`select count from supply.alerts where id = ${id}`)[0]).toEqual({ count: 2 })
    expect(await sql()`select from supply.occurrences`).toHaveLength(0)
  })
})

test('is in ops.alerts at once, and can be acknowledged before a worker counts it', async () => {
  await deadEvent()
  const cause = `dead_letter:http_4xx:account ${partner().accountId}`
  const account_id = `${partner().accountId}`
  const [alert] = await alerts()
  expect(alert).toMatchObject({ kind: 'dead_letter', subject: 'http_4xx', account_id, cause, count: 1, state: 'open' })
  await operator()`select ops.acknowledge(${alert?.alert_id}, 'the partner was called')`
  expect(await states()).toEqual(['acknowledged'])
  await collectAlerts(sql())
  expect(await states()).toEqual(['acknowledged'])
  await deadEvent()
  expect(await states()).toEqual(['open'])
})

test('the end of an alert whose job is lost gets another job', async () => {
  const item = await stuckItem()
  await send()
  await answer(sql(), item, completed())
  await close()
  await sql()`delete from graphile_worker._private_jobs`
  const missing = async () =>
    (await audit(sql())).filter((row) => JSON.stringify(row).includes('alert_has_a_job')).length
  expect(await missing()).toBe(1)
  await sql()`update supply.alerts set last_at = now() - interval '1 minute', closed_at = now() - interval '1 minute'`
  await sql()`select work.resume_forgotten()`
  expect([await jobs(), await missing()]).toEqual([1, 0])
  expect(await send()).toEqual(['resolved item_stuck:first'])
})
