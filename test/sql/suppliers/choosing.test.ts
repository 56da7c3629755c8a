import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeAlerts } from '../../support/alerts.ts'
import { itemTests } from '../../support/item_tests.ts'
import {
  answer,
  completed,
  failed,
  finishCalls,
  leaseCalls,
  notPlaced,
  notReceived,
  processing,
  record,
  unknown,
} from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { audit } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const { sql, order, newItem, itemOf, alertsOf, jobsOf } = itemTests()

beforeAll(async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
  await sql()`select ops.upsert_supplier('third', 'http://127.0.0.1:11', 'third')`
})
beforeEach(async () => {
  await sql()`update supply.supplier_attempts set started_at = started_at - interval '1 hour', finished_at = finished_at - interval '1 hour'`
  await sql()`update supply.suppliers set failures = 0, open_since = null, trial_at = null, paused_at = null, paused_reason = null`
  await sql()`delete from supply.offers where supplier <> 'first'`
  await sql()`select ops.upsert_offer(${products.topUp}, 'first', 'sku-101', 8)`
})

const offer = (supplier: string, priority = 200, cost = 9) =>
  sql()`select ops.upsert_offer(${products.topUp}, ${supplier}, ${`${supplier}-101`}, ${cost}, ${priority})`

const pause = (supplier: string, reason: string | null) => sql()`select ops.set_supplier_paused(${supplier}, ${reason})`

const supplierOf = async (item: string) => (await itemOf(item)).supplier

const circuitOf = async (supplier: string) => {
  const [row] = await sql()`
    select failures, open_since is not null as is_open, trial_at > now() as is_waiting from supply.suppliers where code = ${supplier}`
  return row ?? {}
}

/** Gives no usable answer to so many items of the supplier, one after the other. */
async function fail(times: number) {
  for (let n = 0; n < times; n += 1) await answer(sql(), await newItem(), unknown())
}

/** The results so far have not told anything bad about the first supplier. */
async function expectNoUnknowns() {
  const [{ unknowns_5m = null } = {}] =
    await sql()`select unknowns_5m from ops.supplier_health where supplier = 'first'`
  expect(unknowns_5m).toBe(0)
  expect(
    await sql()`select from core.supplier_silence where supplier = 'first' and unanswered_since is not null`,
  ).toHaveLength(0)
}

/** Opens the circuit of the first supplier, with no trial due. */
const open = () =>
  sql()`update supply.suppliers set failures = 5, open_since = now(), trial_at = now() + interval '1 minute' where code = 'first'`

describe('a new item goes to', () => {
  const chosen = async () => supplierOf(await newItem())

  test('the next offer when the best supplier is paused or has an open circuit', async () => {
    await offer('second')
    await pause('first', 'maintenance')
    expect(await chosen()).toBe('second')
    await pause('first', null)
    expect(await chosen()).toBe('first')
    await open()
    expect(await chosen()).toBe('second')
  })

  test('the best offer when no other supplier can serve', async () => {
    await open()
    expect(await chosen()).toBe('first')
    await pause('first', 'maintenance')
    expect(await chosen()).toBe('first')
  })
})

describe('the circuit of a supplier', () => {
  test('opens after five calls in a row without a usable answer, with an alert that ends when it closes', async () => {
    const before = await alertsOf('supplier_circuit:first')
    await fail(4)
    expect(await circuitOf('first')).toMatchObject({ failures: 4, is_open: false })
    await answer(sql(), await newItem(), notPlaced('unreachable'))
    expect(await circuitOf('first')).toEqual({ failures: 5, is_open: true, is_waiting: true })
    expect(await alertsOf('supplier_circuit:first')).toBe(before + 1)
    const health = () => sql()`select state from ops.supplier_health where supplier = 'first'`
    expect(await health()).toEqual([{ state: 'circuit_open' }])
    await fail(1)
    expect(await alertsOf('supplier_circuit:first')).toBe(before + 1)

    await answer(sql(), await newItem(), processing())
    expect(await circuitOf('first')).toEqual({ failures: 0, is_open: false, is_waiting: null })
    await closeAlerts(sql())
    const open = await sql()`select from ops.alerts where cause = 'supplier_circuit:first' and closed_at is null`
    expect(open).toHaveLength(0)
  })

  test('is not opened by items that fail, nor by unusable answers with a good one between them', async () => {
    await fail(4)
    await answer(sql(), await newItem(), failed())
    await fail(4)
    expect(await circuitOf('first')).toMatchObject({ failures: 4, is_open: false })
  })

  test('does not change its count for an item that the supplier does not know', async () => {
    await fail(2)
    const item = await newItem()
    await answer(sql(), item, unknown())
    await answer(sql(), item, notReceived())
    expect(await circuitOf('first')).toMatchObject({ failures: 3 })
  })

  test('is not opened by late results, which were not recorded, nor closed by them', async () => {
    const items: string[] = []
    for (let n = 0; n < 6; n += 1) items.push(await newItem())
    const late = await leaseCalls(sql(), items)
    await sql()`update supply.order_items set lease_expires_at = now() where id = any (${items})`
    const calls = await leaseCalls(sql(), items)
    expect((await finishCalls(sql(), late, unknown())).verdicts).toEqual(late.map(() => 'stale'))
    expect(await circuitOf('first')).toEqual({ failures: 0, is_open: false, is_waiting: null })
    await expectNoUnknowns()
    await finishCalls(sql(), calls.slice(1), unknown())
    expect(await circuitOf('first')).toMatchObject({ is_open: true })
    await finishCalls(sql(), late.slice(1), processing())
    expect(await circuitOf('first')).toMatchObject({ is_open: true })
  })

  test('is not opened by calls that a worker could not make in time', async () => {
    for (let n = 0; n < 6; n += 1) await answer(sql(), await newItem(), notPlaced('late'))
    expect(await circuitOf('first')).toMatchObject({ failures: 0, is_open: false })
    await expectNoUnknowns()
  })

  test('counts the calls of a batch in their order', async () => {
    const results = [unknown(), processing(), unknown(), unknown()]
    const items: string[] = []
    for (const _ of results) items.push(await newItem())
    await finishCalls(sql(), await leaseCalls(sql(), items), (index) => results[index] as object)
    expect(await circuitOf('first')).toMatchObject({ failures: 2 })
  })

  test('waits for no other batch that counts at the same moment', async () => {
    const item = await newItem()
    const [call] = await leaseCalls(sql(), [item])
    const holder = await sql().reserve()
    try {
      await holder`begin`
      await holder`select from supply.suppliers where code = 'first' for no key update`
      expect(await record(sql(), call as never, unknown())).toBe('waiting')
    } finally {
      await holder`rollback`
      holder.release()
    }
  })
})

describe('while the circuit of its supplier is open, an item', () => {
  test('that was never sent goes to another supplier, at its cost', async () => {
    const item = await newItem()
    await offer('second')
    await open()
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ supplier: 'second', sku: 'second-101', method: 'put' }])
    expect(await itemOf(item)).toMatchObject({ supplier: 'second', cost: '9.00', checks: 0, tried_suppliers: [] })
    const { lease_token } = await itemOf(item)
    expect(await record(sql(), { item_id: item, lease_token }, completed())).toBe('settled')
    expect(await audit(sql())).toEqual([])
  })

  test('that was sent stays at its supplier', async () => {
    const item = await newItem()
    await offer('second')
    for (let n = 0; n < 7; n += 1) await answer(sql(), item, unknown())
    expect(await circuitOf('first')).toMatchObject({ is_open: true })
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ supplier: 'first', method: 'get' }])
  })

  test('that its supplier never received, and that is sent again, stays at its supplier', async () => {
    const item = await newItem()
    await offer('second')
    await answer(sql(), item, unknown())
    await answer(sql(), item, notReceived())
    await open()
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ supplier: 'first', method: 'put' }])
  })

  test('goes to no supplier that refused it, is paused or has an open circuit', async () => {
    const item = await newItem()
    await offer('second')
    await offer('third')
    await sql()`update supply.order_items set tried_suppliers = '{second}' where id = ${item}`
    await sql()`update supply.suppliers set open_since = now(), trial_at = now() - interval '1 s' where code = 'third'`
    await open()
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ supplier: 'first', method: 'put' }])
  })

  test('tries the supplier once a minute, the oldest item first', async () => {
    const items = [await newItem(), await newItem(), await newItem()]
    await offer('second')
    await open()
    await sql()`update supply.suppliers set trial_at = now() - interval '1 s' where code = 'first'`
    const calls = await leaseCalls(sql(), items)
    expect(calls.map(({ item_id, supplier }) => [item_id, supplier])).toEqual([
      [items[0], 'first'],
      [items[1], 'second'],
      [items[2], 'second'],
    ])
    expect(await circuitOf('first')).toMatchObject({ is_open: true, is_waiting: true })
    const late = await newItem()
    expect(await supplierOf(late)).toBe('second')
  })
})

describe('a supplier that an operator paused', () => {
  test('gets no new items: they wait without a call, and are sent in their order after the pause', async () => {
    const items: string[] = []
    for (let n = 0; n < 3; n += 1) items.push(await newItem())
    await pause('first', 'maintenance')
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_supplier_paused', detail: { reason: 'maintenance' } })
    expect(await leaseCalls(sql(), [...items].reverse())).toEqual([])
    for (const item of items) {
      expect(await itemOf(item)).toMatchObject({ next_call: 'put', sent_at: null, lease_expires_at: null })
      expect(await jobsOf(item)).toEqual([])
    }
    expect(await sql()`select from ops.supplier_attempts where item_id = any(${items})`).toHaveLength(0)
    const [shown] = await sql()`
      select paused_reason, waiting_items >= 3 as waits, state
      from ops.suppliers s join ops.supplier_health h on h.supplier = s.code where s.code = 'first'`
    expect(shown).toEqual({ paused_reason: 'maintenance', waits: true, state: 'paused' })
    const [line] = await sql()`select detail from ops.attention where what = 'supplier paused'`
    expect(line?.detail).toContain(`; ops.set_supplier_paused('first', null) ends the pause and sends them`)
    expect(await audit(sql())).toEqual([])

    await sql()`select work.fill_places()`
    for (const item of items) expect(await jobsOf(item)).toEqual([])
    await sql()`select ops.set_supplier_paused('first', null)`
    await sql()`select work.fill_places()`
    const due = await sql()`
      select key from graphile_worker.jobs where run_at < now() + interval '1 minute' and key is not null order by run_at`
    const keys = due.map(({ key }) => key).filter((key) => items.includes(key.slice('call_supplier:'.length)))
    expect(keys).toEqual(items.map((item) => `call_supplier:${item}`))
    expect(await leaseCalls(sql(), items)).toHaveLength(3)
    expect(await sql()`select from ops.attention where what = 'supplier paused'`).toHaveLength(0)
  })

  test('loses its waiting items to another supplier that can serve them', async () => {
    const item = await newItem()
    await pause('first', 'maintenance')
    expect(await leaseCalls(sql(), [item])).toEqual([])
    await offer('second')
    await sql()`select work.fill_places()`
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ supplier: 'second', method: 'put' }])
  })
})

test('good answers neither write nor lock the rows of suppliers', async () => {
  const version = () => sql()`select xmin::text, xmax::text from supply.suppliers where code = 'first'`
  await order()
  const item = await newItem()
  const holder = await sql().reserve()
  try {
    const before = await version()
    // Orders refer to it: that lock conflicts with none of these.
    await holder`begin`
    await holder`select from supply.suppliers where code = 'first' for no key update`
    expect(await answer(sql(), item, processing())).toBe('waiting')
    expect(await answer(sql(), item, completed())).toBe('settled')
    await holder`rollback`
    const after = await version()
    expect(after[0]?.xmin).toBe(before[0]?.xmin)
  } finally {
    holder.release()
  }
})

describe('the interval of list readings', () => {
  test('is set by operators, and kept by upsert_supplier', async () => {
    const every = (code: string, interval: string | null) =>
      sql()`select ops.set_supplier_sync(${code}, ${interval}::interval)`
    await sql()`select ops.upsert_supplier('lister', 'http://127.0.0.1:12', 'token', 'kinguin')`
    await every('lister', '1 hour')
    const read = () => sql()`select sync_every::text from ops.suppliers where code = 'lister'`
    expect(await read()).toEqual([{ sync_every: '01:00:00' }])
    await sql()`select ops.upsert_supplier('lister', 'http://127.0.0.1:12', 'token-2')`
    expect(await read()).toEqual([{ sync_every: '01:00:00' }])
    await every('lister', null)
    expect(await read()).toEqual([{ sync_every: null }])
  })
})

test('a product shows as changed when its two suppliers are closed at the same moment', async () => {
  await offer('second')
  const [before] = await sql()`select updated_at from supply.products where id = ${products.topUp}`
  await whileHeld(
    sql(),
    (holder) => holder`select ops.set_supplier_active('first', false)`,
    () => sql()`select ops.set_supplier_active('second', false)`,
  )
  const [after] = await sql()`select updated_at from supply.products where id = ${products.topUp}`
  expect(after?.updated_at).not.toEqual(before?.updated_at)
  for (const code of ['first', 'second']) await sql()`select ops.set_supplier_active(${code}, true)`
})

test('poll_all makes all open items of a supplier due but those that are being called, and returns their number', async () => {
  const [one, two] = [await newItem(), await newItem()]
  await answer(sql(), one, processing())
  await answer(sql(), two, completed())
  const [open] =
    await sql()`select count(*)::int as n from supply.order_items where supplier = 'first' and completed_at is null
      and lease_expires_at is null`
  const [asked] = await sql()`select ops.poll_all('first') as n`
  expect(asked?.n).toBe(open?.n)
  expect((await itemOf(one)).wait).toBeLessThanOrEqual(0)
  await expect(sql()`select ops.poll_all('nobody')`).rejects.toMatchObject(refusals.unknown)
})
