import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { orderRequest, placeAll } from '../support/orders.ts'
import { makeCatalog, makePartner, products } from '../support/partner.ts'
import { startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { startWorkerProcess } from '../support/servers/service_process.ts'
import { makeStock } from '../support/stock.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const [partners, ordersOfEach, codesOfEach, stock] = [50, 10, 10, 4000]
const alone = 199

test('50 partners order 5,000 codes of 4,000 while workers are killed: each code is sold once, the rest is refunded', async () => {
  const supplier = await startScriptedSupplier()
  await makeCatalog(sql(), supplier)
  // Two products share the codes: one has another offer, and one has none.
  await sql()`select ops.upsert_product(${alone}, 'space-trader', 'Only ours', 20.00, 'RUB', 'key')`
  await makeStock(sql())
  await sql()`select ops.upsert_offer(${alone}, 'vault', 'v-1', 5)`
  const codes = Array.from({ length: stock }, (_, n) => `STOCK-${n}`)
  await sql()`select ops.load_codes('vault', 'v-1', ${codes})`
  supplier.setAnswer(({ reference }) => {
    const json = { status: 'completed', codes: codes.slice(0, codesOfEach).map((_, n) => `OTHER-${reference}-${n}`) }
    return { status: 200, json }
  })

  const buyers = []
  for (let n = 0; n < partners; n += 1) buyers.push(await makePartner(sql(), { name: `Partner ${n}`, balance: 10_000 }))
  const orders = buyers.flatMap((partner, n) =>
    Array.from({ length: ordersOfEach }, () => {
      const productId = n % 2 === 0 ? alone : products.key
      return { partner, items: [{ productId, quantity: codesOfEach }] }
    }),
  )
  const requests = orders.map(({ partner, items }, place) => orderRequest(partner, { ordinal: place + 1, items }))
  for (let from = 0; from < requests.length; from += 50) {
    const placed = await placeAll(sql(), requests.slice(from, from + 50))
    expect(new Set(placed.map(({ result }) => result))).toEqual(new Set(['created']))
  }

  const open = async () => (await sql()`select from supply.orders where completed_at is null`).length
  const workers = [await startWorkerProcess(database.url), await startWorkerProcess(database.url)]
  // Each time when something was sold since the last kill.
  for (let kills = 0, before = orders.length; kills < 4; ) {
    const left = await open()
    if (left === 0) break
    if (left < before) {
      before = left
      kills += 1
      await workers.shift()?.kill()
      workers.push(await startWorkerProcess(database.url))
    }
    await sleep(20)
  }
  await expect.poll(open, { timeout: 120_000 }).toBe(0)
  for (const worker of workers) await worker.kill()

  const [sold] = await sql()`
    select count(*)::int as codes, count(distinct code)::int as different from supply.item_keys where code like 'STOCK-%'`
  expect(sold).toEqual({ codes: stock, different: stock })
  const [left] = await sql()`select free, sold from ops.stock`
  expect(left).toEqual({ free: 0, sold: stock })
  const ends = await sql()`
    select i.supplier, o.outcome, count(*)::int as orders, sum(o.refunded_amount)::int as refunded
    from supply.orders o join supply.order_items i on i.order_id = o.id group by 1, 2`
  const refused = ends.find(({ outcome }) => outcome === 'none')
  const others = ends.find(({ supplier: code }) => code === 'first')
  expect((refused?.orders ?? 0) + (others?.orders ?? 0)).toBe(
    (partners * ordersOfEach * codesOfEach - stock) / codesOfEach,
  )
  expect(refused?.refunded ?? 0).toBe((refused?.orders ?? 0) * 20 * codesOfEach)
  expect(ends.every(({ outcome }) => outcome === 'full' || outcome === 'none')).toBe(true)
  expect(await sql()`select * from ops.audit_all()`).toEqual([])
  await supplier.close()
})
