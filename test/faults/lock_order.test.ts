import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plansByKey } from '../../src/database/connections/pool.ts'
import { testDatabase } from '../support/database.ts'
import { answered, unreachable } from '../support/events.ts'
import { completed, failed, notPlaced, processing, unknown } from '../support/items.ts'
import { orderRequest } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'

// The functions that workers, the API and operators call at the same time, in random pairs on several connections.
const database = testDatabase()
const suppliers = ['first', 'second', 'third']
const connections = 6
const actionsEach = 400
let partners: Partner[]
let sessions: postgres.Sql[]

beforeAll(async () => {
  const { sql } = database
  for (const code of suppliers) await makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'token', code })
  partners = []
  for (let n = 0; n < 4; n += 1) partners.push(await makePartner(sql, { balance: 1_000_000 }))
  const settings = { ...plansByKey, deadlock_timeout: '100ms' }
  sessions = Array.from({ length: connections }, () =>
    postgres(database.url, { max: 1, onnotice: () => {}, connection: settings }),
  )
})
afterAll(() => Promise.all(sessions.map((session) => session.end({ timeout: 1 }))))

const random = (limit: number) => Math.floor(Math.random() * limit)
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T
const shuffled = <T>(list: readonly T[]): T[] => list.toSorted(() => Math.random() - 0.5)

type Leased = { id: string; lease: string }
const calls: Leased[] = []
const attempts: Leased[] = []
const codeResults = () => ({ ...completed(), codes: [crypto.randomUUID()] })
const callResults = [completed, failed, processing, unknown, codeResults, () => notPlaced('unreachable')]
const outOfStock = () => failed({ errorCode: 'OUT_OF_STOCK' })

/** So many ids of open items or events, in random order; some are leased, some final by then. */
const items = async (on: postgres.Sql, count: number) =>
  (await on`select id from supply.order_items where completed_at is null order by random() limit ${count}`).map(
    ({ id }) => id as string,
  )
const events = async (on: postgres.Sql, count: number) =>
  (await on`select id from supply.events order by random() limit ${count}`).map(({ id }) => id as string)

const finished = (leased: Leased[], key: 'itemId' | 'eventId', result: () => object) =>
  leased.map(({ id, lease }, n) => ({ ordinal: n + 1, [key]: id, leaseToken: lease, result: result() }))

const actions: { [name: string]: (on: postgres.Sql) => Promise<unknown> } = {
  place_orders: (on) => {
    const requests = shuffled([...partners, ...partners]).map((partner, n) =>
      orderRequest(partner, {
        ordinal: n + 1,
        callbackUrl: 'https://hooks.example/x',
        externalOrderId: crypto.randomUUID(),
        items: shuffled([products.topUp, products.key]).map((productId) => ({
          productId,
          deliveryData: { gameUserId: 'player' },
        })),
      }),
    )
    return on`select from api.place_orders(${on.json(requests as never)})`
  },
  begin_calls: async (on) => {
    const ids = await items(on, 12)
    await on`update supply.order_items set next_check_at = now(), lease_expires_at = null
      where id in (select id from supply.order_items where id = any(${ids}) and completed_at is null and held_at is null
        order by id for update skip locked)`
    const rows = await on`select item_id, lease_token from work.begin_calls(${ids}, '{}', 50)`
    calls.push(...rows.map(({ item_id, lease_token }) => ({ id: item_id, lease: lease_token })))
  },
  finish_calls: (on) => {
    const results = finished(calls.splice(0, 12), 'itemId', () => oneOf([...callResults, outOfStock])())
    return on`select from work.finish_calls(${on.json(results as never)}, '24 hours', '30 minutes', 3, 'pool')`
  },
  begin_deliveries: async (on) => {
    const ids = await events(on, 12)
    const rows = await on`select event_id, lease_token from unnest(work.begin_deliveries(${ids}, 4194304))`
    attempts.push(...rows.map(({ event_id, lease_token }) => ({ id: event_id, lease: lease_token })))
  },
  finish_deliveries: (on) => {
    const results = finished(attempts.splice(0, 12), 'eventId', () =>
      oneOf([answered(200), answered(200), answered(503), answered(404), unreachable()]),
    )
    return on`select from work.finish_deliveries(${on.json(results as never)}, 3, 'pool')`
  },
  fill_slots: (on) => on`select work.fill_slots()`,
  sweep: (on) => on`select work.sweep()`,
  resume_forgotten: (on) => on`select work.resume_forgotten()`,
  number_results: (on) => on`select work.number_results()`,
  check_suppliers: (on) => on`select work.check_suppliers(5)`,
  collect_alerts: (on) => on`select work.collect_alerts()`,
  compare_alerts: (on) => on`select work.compare_alerts()`,
  push: async (on) => {
    const [id] = await items(on, 1)
    const result = on.json(oneOf([completed, failed, processing])() as never)
    return on`select from api.record_pushed_result(${oneOf(suppliers)}, ${id ?? null}, ${result})`
  },
  deposit: (on) => on`select ops.deposit(${oneOf(partners).accountId}, 1, ${crypto.randomUUID()})`,
  settle_item: async (on) => {
    const [id] = await items(on, 1)
    return on`select ops.settle_item(${id ?? null}::uuid, 'failed', reason => 'a test')`
  },
  pause: (on) => on`select ops.set_supplier_paused(${oneOf(suppliers)}, ${oneOf(['a test', null])})`,
  limit: (on) => on`select ops.set_supplier_limits(${oneOf(suppliers)}, ${oneOf([5, null])}, ${oneOf([500, null])})`,
  erase: (on) => on`select ops.erase_delivery_data('player', 'a test')`,
  redeliver_all: (on) => on`select ops.redeliver_all(${oneOf(partners).accountId}, now() - interval '1 day')`,
}

test('the functions of workers, API and operators do not deadlock with each other', async () => {
  const deadlocks: string[] = []
  const ran = new Map<string, number>()
  const work = async (session: postgres.Sql) => {
    for (let n = 0; n < actionsEach; n += 1) {
      const name = oneOf(Object.keys(actions))
      try {
        await actions[name]?.(session)
        ran.set(name, (ran.get(name) ?? 0) + 1)
      } catch (error) {
        const { code, where } = error as postgres.PostgresError
        // Another refusal is the function's own, such as that the item is final.
        if (code === '40P01') deadlocks.push(`${name}: ${where}`)
      }
    }
  }
  await Promise.all(sessions.map(work))
  expect(deadlocks).toEqual([])
  expect([...ran.keys()].sort()).toEqual(Object.keys(actions).sort())
})
