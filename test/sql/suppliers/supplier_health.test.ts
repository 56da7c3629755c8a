import { beforeEach, describe, expect, test } from 'vitest'
import { closeAlerts } from '../../support/alerts.ts'
import { testDatabase } from '../../support/database.ts'
import { answer, completed, failed, leaseCalls, notReceived, processing, record, unknown } from '../../support/items.ts'
import { operatorOf } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makePartner, type Partner } from '../../support/partner.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const operator = operatorOf(database)
let partner: Partner

beforeEach(async () => {
  await sql()`truncate supply.supplier_attempts, supply.supplier_call_counts, supply.supplier_states, supply.alerts,
    supply.occurrences`
  await sql()`update supply.order_items set status = 'failed', completed_at = now(), next_check_at = null where completed_at is null`
  partner = await makePartner(sql())
})

const newItem = async () => (await place(sql(), partner)).body.items[0]?.id ?? ''
const health = async () => (await operator()`select * from ops.supplier_health where supplier = 'first'`)[0]
const check = async (minutes = 5) => (await sql()`select work.check_suppliers(${minutes}) as raised`)[0]?.raised
const alerts = async () => await operator()`select * from ops.alerts where cause = 'supplier_silent:first'`

/** Lets time pass for the calls so far, and for what is known of them. */
async function passes(interval: string): Promise<void> {
  await sql()`update supply.supplier_attempts set started_at = started_at - ${interval}::interval, finished_at = finished_at - ${interval}::interval`
  await sql()`update supply.supplier_call_counts set began_at = began_at - ${interval}::interval`
  await sql()`
    update supply.supplier_states set last_good_at = last_good_at - ${interval}::interval,
      unanswered_since = unanswered_since - ${interval}::interval`
}

/** So many calls that began so long ago, and took from 10 ms to so many times 10 ms. */
const calls = (count: number, ago: string, outcome: string | null, item: string) => sql()`
  insert into supply.supplier_attempts (item_id, supplier, method, started_at, finished_at, outcome)
  select ${item}, 'first', 'get', now() - ${ago}::interval,
    case when ${outcome !== null} then now() - ${ago}::interval + n * interval '10 ms' end, ${outcome}
  from generate_series(1, ${count}) as n`

describe('ops.supplier_health', () => {
  test('shows a supplier that was never called as idle', async () => {
    expect(await health()).toMatchObject({
      ...{ calls_5m: 0, failures_5m: 0, unknowns_5m: 0, p50_ms: null, p95_ms: null, open_items: 0 },
      ...{ oldest_open: null, last_good_at: null, state: 'idle', calls_1h: 0, calls_1d: 0, active: true },
    })
  })

  test('shows calls, failures, unknown outcomes, latencies and open items', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    await answer(sql(), await newItem(), completed())
    await answer(sql(), await newItem(), failed())
    await answer(sql(), await newItem(), unknown())
    await leaseCalls(sql(), [await newItem()])
    expect(await health()).toMatchObject({
      ...{ calls_5m: 5, failures_5m: 1, unknowns_5m: 1, open_items: 3, calls_1h: 5, unknowns_1d: 1 },
      ...{ oldest_open: expect.any(Date), last_good_at: expect.any(Date), state: 'failing' },
    })
    await answer(sql(), item, processing())
    expect(await health()).toMatchObject({ calls_5m: 6, state: 'answering', unanswered_since: null })
  })

  test('shows five minutes, an hour and a day, before and after the calls are counted by minutes', async () => {
    const item = await newItem()
    await calls(100, '1 minute', 'processing', item)
    await calls(3, '2 minutes', 'unknown', item)
    await calls(200, '30 minutes', 'failed', item)
    await calls(5, '31 minutes', 'unknown', item)
    await calls(400, '20 hours', 'completed', item)
    await calls(7, '20 hours', 'not_received', item)
    await calls(2, '21 hours', null, item)
    await calls(1000, '25 hours', 'completed', item)
    const counts = {
      ...{ calls_5m: 103, failures_5m: 0, unknowns_5m: 3, p50_ms: 500, p95_ms: 950 },
      ...{ calls_1h: 308, failures_1h: 200, unknowns_1h: 8, calls_1d: 717, failures_1d: 200, unknowns_1d: 8 },
    }
    const latencies = { p50_ms_1h: 750, p95_ms_1h: 1850, p50_ms_1d: 1240, p95_ms_1d: 3650 }
    const exact = await health()
    expect(exact).toMatchObject(counts)
    for (let n = 0; n < 13; n += 1) await check()
    const [row] = await sql()`
      select sum(calls)::int as calls, max(began_at) < now() - interval '6 minutes' as closed from supply.supplier_call_counts`
    expect(row).toEqual({ calls: 614, closed: true })
    const counted = await health()
    expect(counted).toMatchObject(counts)
    for (const [name, value] of Object.entries(latencies)) {
      expect(Math.abs(exact?.[name] / value - 1), name).toBeLessThan(0.05)
      expect(Math.abs(counted?.[name] / value - 1), name).toBeLessThan(0.15)
    }
    expect(counted?.last_good_at).toEqual(exact?.last_good_at)
  })

  test('counts each call once, however often suppliers are checked', async () => {
    const item = await newItem()
    await calls(10, '20 minutes', 'processing', item)
    await check()
    await calls(10, '15 minutes', 'processing', item)
    for (let n = 0; n < 3; n += 1) await check()
    expect(await health()).toMatchObject({ calls_5m: 0, calls_1h: 20, calls_1d: 20 })
  })
})

describe('a supplier without a usable answer', () => {
  test('is silent after the time of the setting: one alert, however many workers check', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    await passes('3 hours')
    await answer(sql(), item, unknown())
    await passes('4 minutes')
    await answer(sql(), item, unknown())
    expect([await check(), (await health())?.state]).toEqual([0, 'failing'])
    await passes('70 seconds')
    expect((await health())?.state).toBe('silent')
    const raised = await Promise.all([check(), check(), check(), check()])
    expect(raised.reduce((sum, count) => sum + count, 0)).toBe(1)
    await answer(sql(), item, unknown())
    expect(await check()).toBe(0)
    expect(await alerts()).toMatchObject([
      {
        state: 'open',
        count: 1,
        message: expect.stringMatching(/^supplier first has given no usable answer since .*Z: timeout$/),
      },
    ])
  })

  test('stays known while its calls become counted minutes', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    await passes('5 minutes')
    await answer(sql(), item, unknown())
    await check(30)
    await passes('15 minutes')
    await answer(sql(), item, unknown())
    expect(await check(30)).toBe(0)
    const [counted] = await sql()`select count(*)::int as counts from supply.supplier_call_counts`
    expect(counted?.counts).toBe(2)
    expect(await health()).toMatchObject({ state: 'failing', last_good_at: expect.any(Date) })
    expect(await check(10)).toBe(1)
    expect((await health())?.state).toBe('silent')
  })

  test('has its alert closed by the next answer, and is alerted again when it is silent again', async () => {
    const item = await newItem()
    await answer(sql(), item, unknown())
    await passes('6 minutes')
    expect(await check()).toBe(1)
    await closeAlerts(sql())
    expect(await alerts()).toMatchObject([{ state: 'open' }])
    await answer(sql(), item, processing())
    await closeAlerts(sql())
    expect(await alerts()).toMatchObject([{ state: 'closed' }])
    expect(await check()).toBe(0)
    await passes('20 minutes')
    await answer(sql(), item, unknown())
    await passes('6 minutes')
    expect(await check()).toBe(1)
    expect(await alerts()).toMatchObject([{ state: 'open', count: 2 }])
  })

  test('is silent when it only answers that it does not know an item', async () => {
    const item = await newItem()
    await answer(sql(), item, unknown())
    await answer(sql(), item, notReceived())
    await passes('6 minutes')
    await answer(sql(), item, notReceived())
    expect(await check()).toBe(1)
  })

  test('is silent although it pushes results', async () => {
    const item = await newItem()
    await answer(sql(), item, unknown())
    await passes('6 minutes')
    await sql()`select api.record_pushed_result('first', ${item}, ${sql().json(processing() as never)})`
    expect([await check(), (await health())?.calls_5m]).toEqual([1, 0])
  })

  test('is not silent while no call was made, or when no item waits for it', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    await passes('3 hours')
    expect([await check(), (await health())?.state]).toEqual([0, 'idle'])
    const [call] = await leaseCalls(sql(), [item])
    if (call === undefined) throw new Error('no call')
    await passes('6 minutes')
    expect(await check()).toBe(0)
    await record(sql(), call, unknown())
    expect(await check()).toBe(0)
    await passes('6 minutes')
    expect(await check()).toBe(1)
    await sql()`update supply.order_items set stuck_at = now() where id = ${item}`
    await operator()`select ops.settle_item(${item}, 'failed', reason => 'a test')`
    await closeAlerts(sql())
    expect([(await alerts())[0]?.state, (await health())?.state]).toEqual(['closed', 'idle'])
  })

  test('is a line of ops.attention, whose detail says what closes it', async () => {
    const item = await newItem()
    await answer(sql(), item, unknown())
    await passes('6 minutes')
    await check()
    const lines = () => operator()`select subject, detail, remedy from ops.attention where what = 'supplier silent'`
    const [first] = await lines()
    expect(first).toMatchObject({
      ...{ subject: 'supplier first', remedy: `select * from ops.supplier_health where supplier = 'first'` },
      detail: expect.stringContaining(`: ask the supplier; ops.set_supplier_active('first', false) closes it`),
    })
    await operator()`select ops.set_supplier_active('first', false)`
    expect((await health())?.active).toBe(false)
    const [second] = await lines()
    expect(second?.detail).toContain('it gets no new items')
    await operator()`select ops.acknowledge(alert_id, 'asked') from ops.alerts where kind = 'supplier_silent'`
    expect(await lines()).toEqual([])
    expect(await check()).toBe(0)
    expect(await alerts()).toMatchObject([{ state: 'acknowledged' }])
    await operator()`select ops.set_supplier_active('first', true)`
  })
})
