import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

// Suppliers aa (paused), bb and cc, all limited. Product 1 is sold by aa and bb, product 2 by bb, product 3 by cc.
const database = testDatabase()
const [atBoth, atB, atC] = Object.values(products) as [number, number, number]
let partner: Partner
let sessions: [postgres.Sql, postgres.Sql]

beforeAll(async () => {
  const { sql } = database
  await makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(sql, { balance: 10_000_000 })
  sessions = [0, 1].map(() => postgres(database.url, { max: 1, onnotice: () => {} })) as typeof sessions
  await sql`delete from supply.offers`
  for (const code of ['aa', 'bb', 'cc']) {
    await sql`select ops.upsert_supplier(${code}, 'http://127.0.0.1:9', 'token')`
    await sql`select ops.set_supplier_limits(${code}, 100000, 100000)`
  }
  const offers = [
    [atBoth, 'aa', 1],
    [atBoth, 'bb', 2],
    [atB, 'bb', 1],
    [atC, 'cc', 1],
  ] as const
  for (const [product, supplier, priority] of offers) {
    await sql`select ops.upsert_offer(${product}, ${supplier}, 'sku', priority => ${priority})`
  }
})
afterAll(() => Promise.all(sessions.map((session) => session.end({ timeout: 1 }))))

async function itemOf(productId: number, supplier: string): Promise<string> {
  const { body } = await place(database.sql, partner, {
    items: [{ productId, deliveryData: { gameUserId: '1' } }],
    externalOrderId: crypto.randomUUID(),
  })
  const id = body.items[0]?.id ?? ''
  await database.sql`update supply.order_items set supplier = ${supplier} where id = ${id}`
  return id
}

const rounds = Array.from({ length: 60 })
const begin = (session: postgres.Sql, ids: readonly string[]) =>
  session`select from work.begin_calls(${[...ids]}, '{}', null)`

test('two workers that begin calls at paused and limited suppliers do not deadlock', async () => {
  await database.sql`select ops.set_supplier_paused('aa', 'a test')`
  const batches = []
  for (const _ of rounds) {
    batches.push([
      [await itemOf(atBoth, 'aa'), await itemOf(atC, 'cc')],
      [await itemOf(atB, 'bb'), await itemOf(atC, 'cc')],
    ] as const)
  }
  const errors: string[] = []
  for (const pair of batches) {
    const results = await Promise.allSettled(pair.map((ids, n) => begin(sessions[n] as postgres.Sql, ids)))
    for (const result of results) if (result.status === 'rejected') errors.push(result.reason.code)
  }
  expect(errors).toEqual([])
})

test('an operator who changes suppliers one by one does not deadlock with workers', async () => {
  const errors: string[] = []
  const codes = ['cc', 'bb', 'aa']
  for (const [n] of rounds.entries()) {
    const ids = [await itemOf(atBoth, 'aa'), await itemOf(atB, 'bb'), await itemOf(atC, 'cc')]
    const limit = async () => {
      for (const code of codes) await sessions[0]`select ops.set_supplier_limits(${code}, ${1000 + n}, null)`
    }
    const results = await Promise.allSettled([limit(), begin(sessions[1], ids)])
    for (const result of results) if (result.status === 'rejected') errors.push(result.reason.code)
    for (const code of codes)
      await sessions[0]`select ops.set_supplier_paused(${code}, ${n % 2 === 0 ? 'a test' : null})`
  }
  expect(errors).toEqual([])
})
