import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/client/index.ts'
import { randomOf } from '../storm/random.ts'
import { testDatabase } from '../support/database.ts'
import { operatorOf } from '../support/operator.ts'
import { audit } from '../support/orders.ts'
import { products } from '../support/partner.ts'
import { codesOf, startWholeService, type WholeService } from '../support/whole_service.ts'

const [count, repeats] = [30, 6]
const player = 'player-4711'

const database = testDatabase({ catalog: true })
const operator = operatorOf(database)
let service: WholeService
beforeAll(async () => {
  service = await startWholeService(database)
})
afterAll(() => service.close())

test('erasing a player’s id beside orders, their repeats and webhooks changes no money, no code and no repeat', async () => {
  const { sql, api, supplier } = service
  const random = randomOf(count, 'erasing')
  const partner = await service.partner({ balance: 10_000 })
  const receiver = await service.receiver(partner)
  // Every fifth top-up has an answer that quotes the player's id, and every fourth fails and is refunded.
  supplier.setAnswer(({ reference, method, nth }) => {
    const kind = Number.parseInt(reference.slice(-2), 16)
    if (kind % 5 === 0 && method === 'PUT' && nth === 1) return { status: 500, text: `<p>${player}</p>` }
    if (kind % 4 === 0) return { status: 200, json: { status: 'failed', reason: 'Нет' } }
    return { status: 200, json: { status: 'completed', codes: [`CODE-${reference}`] } }
  })
  const erase = async () =>
    Number((await operator()`select ops.erase_delivery_data(${player}, 'a mail')`)[0]?.erase_delivery_data)
  const bodyOf = (n: number, gameUserId = player) => ({
    externalOrderId: `erased-${n}`,
    callbackUrl: receiver.url,
    items: [{ productId: n % 2 === 0 ? products.topUp : products.key, deliveryData: { gameUserId } }],
  })
  const answers = new Map<number, Set<string>>()
  async function place(n: number) {
    for (let nth = 0; nth <= repeats; nth += 1) {
      await sleep(random.int(0, nth === 0 ? 1_000 : 300))
      const { status, json } = await api.post('/b2b/orders', { key: partner.key, body: bodyOf(n) })
      // A slow machine may refuse one, which a partner repeats.
      if (status !== 503) answers.set(n, (answers.get(n) ?? new Set()).add(`${status} ${json.data?.code ?? json.code}`))
    }
  }
  let erased = 0
  let isLoaded = true
  const erasing = Array.from({ length: 2 }, async () => {
    while (isLoaded) {
      const orders = await erase()
      erased += orders
    }
  })
  await Promise.all(Array.from({ length: count }, (_, n) => place(n)))
  await expect.poll(() => sql`select from ops.orders where completed_at is null`, { timeout: 60_000 }).toHaveLength(0)
  isLoaded = false
  await Promise.all(erasing)
  expect(erased + (await erase())).toBe(count)

  const orders = await sql`
    select order_code, external_order_id, total_amount::float - refunded_amount::float as paid from ops.orders`
  expect(orders).toHaveLength(count)
  for (const { order_code: code, external_order_id: reference } of orders) {
    const n = Number(reference.slice('erased-'.length))
    // One that was refused may be placed all the same, and its repeats are 200.
    expect([`200 ${code}`, `201 ${code}`]).toEqual(expect.arrayContaining([...(answers.get(n) ?? ['none'])]))
    const { event, verified } = await receiver.waitFor((delivery) => delivery.event?.data.orderCode === code, 45_000)
    expect(verified).toBe(true)
    const order = await service.read(partner, code)
    const { items = [] } = (event?.data ?? {}) as { items?: Order['items'] }
    expect(items.flatMap(({ cdKeys = [] }) => cdKeys.map(({ code }) => code))).toEqual(codesOf(order))
    expect(codesOf(order)).toHaveLength(n % 2 === 1 && order.status === 'completed' ? 1 : 0)
    const other = await api.post('/b2b/orders', { key: partner.key, body: bodyOf(n, 'player-4712') })
    expect([other.status, other.json.orderCode]).toEqual([409, code])
  }
  const [account] = await sql`select balance::float from ops.accounts where account_id = ${partner.accountId}`
  expect(account?.balance).toBeCloseTo(orders.reduce((rest, { paid }) => rest - paid, 10_000))
  const held = await sql`
    select (select count(*) from supply.orders o where strpos(o::text, ${player}) > 0)
      + (select count(*) from supply.order_items i where strpos(i::text, ${player}) > 0)
      + (select count(*) from supply.supplier_attempts a where strpos(a::text, ${player}) > 0) as rows`
  expect(held).toEqual([{ rows: '0' }])
  const errors = [...api.records, ...service.worker.records].filter(({ level }) => level === 'error')
  // The answers that came too late.
  expect(errors.filter(({ status }) => status !== 503)).toEqual([])
  expect(await audit(sql)).toEqual([])
})
