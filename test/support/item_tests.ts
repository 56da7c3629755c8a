import { beforeAll, beforeEach } from 'vitest'
import { testDatabase } from './database.ts'
import { type OrderRequest, place } from './orders.ts'
import { makeCatalog, makePartner, type Partner, products } from './partner.ts'

/** For a test file about order items: a database with the small catalog, and a new partner for each test. */
export function itemTests() {
  const database = testDatabase()
  let present: Partner
  const sql = () => database.sql

  beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
  beforeEach(async () => {
    present = await makePartner(sql())
  })

  async function order(request: OrderRequest = {}) {
    const { body } = await place(sql(), present, request)
    const items = body.items.map(({ id }) => id)
    return { code: body.code, items, item: items[0] ?? '' }
  }

  return {
    sql,
    partner: () => present,
    /** Places an order of the partner and returns its code and the ids of its items. */
    order,
    keys: (quantity: number, callbackUrl: string | null = null) =>
      order({ callbackUrl, items: [{ productId: products.key, quantity }] }),
    /** The order as the partner reads it. */
    read: async (code: string) => {
      const [row] = await sql()`select api.get_order(${present.accountId}, ${code}) as body`
      return row?.body
    },
    /** The item's row, with the seconds until its next call. */
    itemOf: async (id: string) => {
      const [row] = await sql()`select *, extract(epoch from next_check_at - now())::float as wait
        from supply.order_items where id = ${id}`
      return row ?? {}
    },
    eventsOf: async (code: string) => [
      ...(await sql()`select * from supply.events where order_code = ${code}`),
    ],
    /** How often a cause was alerted so far. */
    alertsOf: async (cause: string): Promise<number> => {
      const [row] =
        await sql()`select coalesce(sum(count), 0)::int as n from supply.alerts where cause = ${cause}`
      return row?.n
    },
    /** Records a pushed result, again while it is busy as the API does, and returns its result. */
    push: async function push(supplier: string, item: string, result: object): Promise<string> {
      const [row] =
        await sql()`select answer as said from api.record_pushed_result(${supplier}, ${item}, ${sql().json(result as never)})`
      return row?.said === 'busy' ? push(supplier, item, result) : row?.said
    },
  }
}
