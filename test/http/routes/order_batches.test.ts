import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { connect, type Database, isUnavailable } from '../../../src/database/client.ts'
import { type PlaceOrder, placeInBatches } from '../../../src/http/routes/order_batches.ts'
import { testDatabase } from '../../support/database.ts'
import { audit, type OrderRequest, orderRequest } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

const database = testDatabase({ catalog: true })
const lockTimeoutMs = 50
let db: Database
/** How many orders each statement had. */
let sizes: number[]
let placeRequest: PlaceOrder

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:1', token: 't' }))
beforeEach(() => {
  db = connect({
    url: database.url,
    role: 'supply_api',
    max: 10,
    statementTimeoutMs: 20_000,
    lockTimeoutMs,
    idleInTransactionMs: 20_000,
    deadlineMs: 25_000,
    applicationName: 'test of batches',
  })
  sizes = []
  placeRequest = placeInBatches(db, { batch: (_, size) => void sizes.push(size) }, 20_000)
})
afterEach(() => db.end())

const place = async (partner: Partner, request?: OrderRequest): Promise<string> => {
  const { result } = await placeRequest(orderRequest(partner, request))
  return result
}
const heavy = { items: Array.from({ length: 50 }, () => ({ productId: products.key })) }
const partners = (count: number) =>
  Promise.all(Array.from({ length: count }, () => makePartner(database.sql, { balance: 100_000 })))

/** Which of these partners' orders were written together, first to last, with the number of their items. */
async function written(by: Partner[]): Promise<{ accounts: number[]; items: number }[]> {
  const rows = await database.sql`
    select array_agg(o.account_id::int) as accounts, sum(jsonb_array_length(o.request_items))::int as items
    from supply.orders o where o.account_id = any (${by.map(({ accountId }) => accountId)})
    group by o.xmin order by min(o.created_at)`
  return rows.map(({ accounts, items }) => ({ accounts, items }))
}

test('an account that floods with heavy orders shares the first batch with the others, and no batch has too many items', async () => {
  const [flooding, other] = (await partners(2)) as [Partner, Partner]
  const flood = Array.from({ length: 40 }, () => place(flooding, heavy))
  const others = Array.from({ length: 10 }, () => place(other))
  expect(new Set(await Promise.all([...flood, ...others]))).toEqual(new Set(['created']))
  const batches = await written([flooding, other])
  expect(batches[0]?.accounts.filter((account) => account === other.accountId)).toHaveLength(10)
  expect(Math.max(...batches.map(({ items }) => items))).toBeLessThanOrEqual(256)
  expect(await audit(database.sql)).toEqual([])
})

test('more than can be placed in time is refused at once, of one account and not of others', async () => {
  const [flooding, other] = (await partners(2)) as [Partner, Partner]
  const flood = Array.from({ length: 60 }, () => place(flooding, heavy))
  const single = place(other)
  const outcomes = await Promise.allSettled(flood)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
  for (const outcome of outcomes.slice(50)) {
    expect(outcome.status === 'rejected' && isUnavailable(outcome.reason)).toBe(true)
  }
  expect(await single).toBe('created')
  expect(await place(flooding, heavy)).toBe('created')
})
