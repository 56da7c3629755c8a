import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRefused, type Order, SupplyClient } from '../../src/client/index.ts'
import { testDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'

const database = testDatabase()
let service: WholeService
let client: SupplyClient

const topUp = { productId: products.topUp, deliveryData: { gameUserId: '12345' } }

const gather = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function clientOfNew(options = {}): Promise<SupplyClient> {
  const { key } = await service.partner({ mode: 'test', ...options })
  return new SupplyClient({ baseUrl: service.api.url, apiKey: key, giveUpAfterMs: 0 })
}

async function final(client: SupplyClient, { code }: Order): Promise<Order> {
  await expect.poll(async () => (await client.order(code)).completedAt, { timeout: 15_000 }).not.toBeNull()
  return client.order(code)
}

beforeAll(async () => {
  service = await startWholeService(database)
  service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed', codes: ['K-1'] } }))
  client = await clientOfNew()
})
afterAll(() => service.close())

describe('a partner with the client', () => {
  test('reads the catalog', async () => {
    const [game] = await client.games()
    const all = await client.products(game?.slug ?? '', { deliveryType: 'id_only' })
    expect(all.map(({ id }) => id)).toEqual([products.topUp, products.expensive, products.outOfStock])
    expect(await client.product(products.topUp)).toEqual(all[0])
    expect(await client.games({ updatedSince: '2999-01-01' })).toEqual([])
  })

  test('places an order once, and learns its end', async () => {
    const order = { externalOrderId: 'once', items: [{ productId: products.key }] }
    const [first, second] = await Promise.all([client.placeOrder(order), client.placeOrder(order)])
    expect(second.code).toBe(first.code)
    const ended = await final(client, first)
    expect(ended).toMatchObject({
      status: 'completed',
      outcome: 'full',
      items: [{ cdKeys: [{ code: 'K-1' }] }],
    })
    expect(await client.placeOrder(order)).toMatchObject({ code: first.code, status: 'completed' })
    expect(await client.placeOrder(order, { idempotencyKey: 'once more' })).not.toMatchObject({
      code: first.code,
    })
  })

  test('has a key of its own for each reference, whatever stands in it', async () => {
    for (const externalOrderId of ['заказ № 1', ' with spaces ', 'é', 'a"b\\c']) {
      const order = { externalOrderId, items: [topUp] }
      const { code } = await client.placeOrder(order)
      expect(await client.placeOrder(order)).toMatchObject({ code, externalOrderId })
    }
  })

  test('goes through all orders and all movements, newest first', async () => {
    const client = await clientOfNew()
    const placed: string[] = []
    for (const externalOrderId of ['1', '2', '3']) {
      placed.unshift((await client.placeOrder({ externalOrderId, items: [topUp] })).code)
    }
    const listed = await gather(client.orders({ limit: 2 }))
    expect(listed.map(({ code }) => code)).toEqual(placed)
    expect(await gather(client.orders({ externalOrderId: '2' }))).toMatchObject([{ code: placed[1] }])
    const movements = await gather(client.transactions({ limit: 2 }))
    expect(movements.map(({ seq, amount }) => [seq, amount])).toEqual([
      [4, -10.5],
      [3, -10.5],
      [2, -10.5],
      [1, 1000],
    ])
    expect(await client.balance()).toMatchObject({ balance: 968.5, currency: 'RUB' })
    expect(await client.transactionPage()).toMatchObject({ openingBalance: 0, closingBalance: 968.5 })
    expect(await client.orderPage({ page: 2, limit: 2 })).toMatchObject({ pagination: { total: 3 } })
  })

  test('asks what an order would cost before it places it', async () => {
    const poor = await clientOfNew({ balance: 15 })
    const one = { items: [topUp] }
    expect(await poor.quote(one)).toMatchObject({
      totalAmount: 10.5,
      balanceAfter: 4.5,
      wouldBeRefused: null,
    })
    expect((await poor.quote({ items: [topUp, topUp] })).wouldBeRefused?.code).toBe('INSUFFICIENT_BALANCE')
    expect(await poor.balance()).toMatchObject({ balance: 15 })
  })

  test('reads each result once, however often it begins again', async () => {
    const client = await clientOfNew()
    const place = (reference: string) => client.placeOrder({ externalOrderId: reference, items: [topUp] })
    const read: [number, string][] = []
    for (const reference of ['1', '2', '3', '4']) {
      const { code } = await place(reference)
      for await (const result of client.results({ after: read.at(-1)?.[0] ?? 0, wait: 10 })) {
        read.push([result.seq, result.orderCode])
        break
      }
      expect(read.at(-1)?.[1]).toBe(code)
    }
    expect(read.map(([seq]) => seq)).toEqual([1, 2, 3, 4])
    const all = await gather(client.results({ limit: 1, wait: 0 }))
    expect(all.map(({ seq, orderCode }) => [seq, orderCode])).toEqual(read)
    expect(await gather(client.results({ after: 4, wait: 0 }))).toEqual([])
    expect(await client.resultPage({ after: 3 })).toMatchObject({ nextAfter: 4, lastSeq: 4, hasMore: false })
  })

  test('sees what happened to an order, and has its webhook sent again', async () => {
    const partner = await service.partner()
    const receiver = await service.receiver(partner)
    const client = new SupplyClient({ baseUrl: service.api.url, apiKey: partner.key })
    const order = { externalOrderId: 'told twice', items: [topUp], callbackUrl: receiver.url }
    const { code } = await client.placeOrder(order)
    await expect.poll(async () => (await client.order(code)).deliveries?.state).toBe('delivered')
    const { entries } = await client.timeline(code)
    expect(entries.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['placed', 'charged', 'delivered']),
    )
    const eventId = (await client.order(code)).deliveries?.eventId ?? ''
    expect(await client.redeliver(eventId)).toMatchObject({ eventId })
    await receiver.waitFor(({ duplicate }) => duplicate, 10_000)
    await expect.poll(async () => (await client.order(code)).deliveries?.state).toBe('delivered')
    const error = await client.redeliver(eventId).catch((error: unknown) => error)
    expect(isRefused(error, 'RATE_LIMITED') && error.body.retryAfter).toBeGreaterThan(0)
  })

  test('tries an order that spends nothing', async () => {
    const client = await clientOfNew()
    const order = { externalOrderId: 'a try', items: [{ ...topUp, deliveryData: { gameUserId: '123400' } }] }
    const { code } = await client.simulateOrder(order)
    expect(await client.simulateOrder(order)).toMatchObject({ code, simulated: true })
    await expect
      .poll(async () => (await client.simulatedOrder(code)).status, { timeout: 15_000 })
      .toBe('failed')
    expect(await client.balance()).toMatchObject({ balance: 1000, inOrders: 0 })
    expect(await gather(client.orders())).toEqual([])
  })

  test('learns why it is refused', async () => {
    const poor = await clientOfNew({ balance: 5 })
    const refused = async (order: object) => {
      const whole = { externalOrderId: 'refused', items: [topUp], ...order }
      return poor.placeOrder(whole).catch((error: unknown) => error)
    }
    const error = await refused({})
    expect(isRefused(error, 'INSUFFICIENT_BALANCE') && error.body.details).toEqual({
      ...{ balance: 5, required: 10.5, currency: 'RUB' },
    })
    const dearer = await refused({ maxTotal: 1 })
    expect(isRefused(dearer, 'PRICE_CHANGED') && dearer.body.details[0]?.price).toBe(10.5)
    expect(isRefused(await refused({ items: [] }), 'VALIDATION_ERROR')).toBe(true)
    expect(isRefused(await poor.order('ord_none').catch((error) => error), 'ORDER_NOT_FOUND')).toBe(true)
    const stranger = new SupplyClient({ baseUrl: service.api.url, apiKey: 'svc_live_none' })
    expect(isRefused(await stranger.balance().catch((error) => error), 'UNAUTHORIZED')).toBe(true)
    const { code } = await client.placeOrder({ externalOrderId: 'mine', items: [topUp] })
    const changed = { externalOrderId: 'mine', items: [{ ...topUp, quantity: 2 }] }
    const reused = await client.placeOrder(changed).catch((error: unknown) => error)
    expect(isRefused(reused, 'IDEMPOTENCY_KEY_REUSED') && reused.body.orderCode).toBe(code)
  })

  test('sends itself a sample event', async () => {
    const partner = await service.partner({ mode: 'test' })
    const receiver = await service.receiver(partner)
    const client = new SupplyClient({ baseUrl: service.api.url, apiKey: partner.key })
    const { eventId } = await client.simulateWebhook({ callbackUrl: receiver.url, eventType: 'order.failed' })
    await receiver.waitFor(({ event }) => event?.event_id === eventId, 10_000)
    await expect.poll(async () => (await client.simulatedWebhook(eventId)).state).toBe('delivered')
  })
})
