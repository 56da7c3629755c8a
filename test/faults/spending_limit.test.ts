import { Pool } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomOf } from '../storm/random.ts'
import { testDatabase } from '../support/database.ts'
import { makePartner, type Partner, products } from '../support/partner.ts'
import { type ApiProcess, startApiProcess } from '../support/servers/service_process.ts'

// The full size is SPENDING_SEEDS=20 SPENDING_ORDERS=1000.
const seeds = Number(process.env.SPENDING_SEEDS ?? 2)
const count = Number(process.env.SPENDING_ORDERS ?? 200)
const connections = 64

const database = testDatabase({ catalog: true })
const pools: Pool[] = []
let apis: ApiProcess[]
beforeAll(async () => {
  apis = await Promise.all([startApiProcess(database.url), startApiProcess(database.url)])
  for (const { url } of apis) pools.push(new Pool(url, { connections: connections / 2 }))
})
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()))
  for (const api of apis) expect(await api.end()).toBe(0)
})

type Details = { limit: number; spent: number; required: number }
type Refusal = { code: string; details: Details }
type Answer = Partial<Refusal> & { data: { wouldBeRefused?: Refusal | null } }

/** As a partner does: what a busy machine did not answer in time is asked again. */
async function post(
  pool: Pool | undefined,
  path: string,
  partner: Partner,
  body: object,
): Promise<{ isAccepted: boolean; json: Answer }> {
  if (pool === undefined) throw new Error('no such process')
  const headers = { 'x-api-key': partner.key, 'content-type': 'application/json' }
  const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) })
  const json = (await answer.body.json()) as Answer
  return answer.statusCode === 503 ? post(pool, path, partner, body) : { isAccepted: answer.statusCode < 300, json }
}

// A unit costs 20.00.
const asked = (quantity: number, externalOrderId: string) => ({
  externalOrderId,
  items: [{ productId: products.key, quantity }],
})

test.each(Array.from({ length: seeds }, (_, n) => n + 1))(
  'exactly the orders that fit a limit are accepted over two processes, and quotes say the same: seed %i',
  async (seed) => {
    const random = randomOf(seed, 'spending')
    const partner = await makePartner(database.sql, { name: `Partner ${seed}`, balance: 10_000_000 })
    // About half of the orders fit.
    const limit = Math.round(count * 20 * random.int(3, 7) * 0.5) + random.int(0, 19)
    await database.sql`select ops.set_spending_limit(${partner.accountId}, ${limit})`
    const queue = Array.from({ length: count }, (_, n) => ({ quantity: random.int(1, 10), id: `${seed}-${n}` }))
    const orders = [...queue]

    const answers = new Map<string, Awaited<ReturnType<typeof post>>>()
    const run = async (lane: number) => {
      for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
        const pool = pools[lane % 2]
        const body = asked(order.quantity, order.id)
        const quote = lane % 4 === 0 ? await post(pool, '/b2b/orders/quote', partner, body) : undefined
        const answer = await post(pool, '/b2b/orders', partner, body)
        answers.set(order.id, answer)
        // Nothing is given back: what a quote refused does not fit later.
        if (quote?.json.data.wouldBeRefused?.code === 'SPENDING_LIMIT') expect(answer.json.code).toBe('SPENDING_LIMIT')
      }
    }
    await Promise.all(Array.from({ length: connections }, (_, lane) => run(lane)))

    const accepted = orders.filter(({ id }) => answers.get(id)?.isAccepted)
    const spent = accepted.reduce((sum, { quantity }) => sum + quantity * 20, 0)
    expect(spent).toBeLessThanOrEqual(limit)
    expect(accepted.length).toBeLessThan(orders.length)
    for (const { id, quantity } of orders) {
      const { isAccepted, json } = answers.get(id) ?? {}
      if (isAccepted) continue
      expect(json?.code).toBe('SPENDING_LIMIT')
      expect(json?.details).toMatchObject({ limit, required: quantity * 20 })
      // It did not fit when it was refused, so it does not fit now.
      const then = json?.details?.spent ?? 0
      expect(then + quantity * 20).toBeGreaterThan(limit)
      expect(then).toBeLessThanOrEqual(spent)
    }
    const [booked] = await database.sql`
      select count(*)::int as orders, sum(total_amount)::float as total from ops.orders
      where account_id = ${partner.accountId}`
    expect(booked).toEqual({ orders: accepted.length, total: spent })
    for (let quantity = 1; quantity <= 10; quantity += 1) {
      const { json } = await post(pools[quantity % 2], '/b2b/orders/quote', partner, asked(quantity, 'x'))
      const fits = spent + quantity * 20 <= limit
      expect([quantity, json.data.wouldBeRefused?.code]).toEqual([quantity, fits ? undefined : 'SPENDING_LIMIT'])
      if (!fits) expect(json.data.wouldBeRefused?.details).toMatchObject({ limit, spent, required: quantity * 20 })
    }
  },
)
