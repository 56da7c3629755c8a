import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRefused, type Order, SupplyClient } from '../../src/client/index.ts'
import { testDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'
import { failure } from './scripted_fetch.ts'

const database = testDatabase({ catalog: true })
let service: WholeService
let client: SupplyClient

const topUp = { productId: products.topUp, deliveryData: { gameUserId: '12345' } }
const soon = { timeout: 45_000 }

const gather = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function newClient(options = {}): Promise<SupplyClient> {
  const { key } = await service.partner({ mode: 'test', ...options })
  return new SupplyClient({ baseUrl: service.api.url, apiKey: key, giveUpAfterMs: 0 })
}

async function final(client: SupplyClient, { code }: Order): Promise<Order> {
  await expect.poll(async () => (await client.order(code)).completedAt, soon).not.toBeNull()
  return client.order(code)
}

beforeAll(async () => {
  service = await startWholeService(database)
  service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed', codes: ['K-1'] } }))
  client = await newClient()
})
afterAll(() => service.close())

describe('the client, with the service', () => {
  test('reads the account and the catalog', async () => {
    expect(await client.me()).toMatchObject({ mode: 'test', currency: 'RUB', address: '127.0.0.1' })
    const [game] = await client.games()
    const all = await client.products(game?.slug ?? '', { deliveryType: 'id_only' })
    expect(all.map(({ id }) => id)).toEqual([products.topUp, products.expensive, products.outOfStock])
    expect(await client.product(products.topUp, { locale: 'en' })).toEqual({ ...all[0], texts: null })
    expect(await gather(client.catalog({ limit: 1 }))).toEqual(expect.arrayContaining(all))
    expect(await client.games({ updatedSince: '2999-01-01' })).toEqual([])
  })

  test('places an order once and reads its result', async () => {
    const order = { externalOrderId: 'once', items: [{ productId: products.key }] }
    const [first, second] = await Promise.all([client.placeOrder(order), client.placeOrder(order)])
    expect(second.code).toBe(first.code)
    const items = [{ cdKeys: [{ code: 'K-1' }] }]
    expect(await final(client, first)).toMatchObject({ status: 'completed', outcome: 'full', items })
    expect(await client.placeOrder(order)).toMatchObject({ code: first.code, status: 'completed' })
    expect((await client.placeOrder(order, { idempotencyKey: 'once more' })).code).not.toBe(first.code)
  })

  test('has one key for each reference, whatever characters it has', async () => {
    for (const externalOrderId of ['заказ № 1', ' with spaces ', 'é', 'a"b\\c']) {
      const order = { externalOrderId, items: [topUp] }
      const { code } = await client.placeOrder(order)
      expect(await client.placeOrder(order)).toMatchObject({ code, externalOrderId })
    }
  })

  test('lists all orders and all transactions, newest first', async () => {
    const client = await newClient()
    const placed: string[] = []
    for (const externalOrderId of ['1', '2', '3'])
      placed.unshift((await client.placeOrder({ externalOrderId, items: [topUp] })).code)
    const listed = await gather(client.orders({ limit: 2 }))
    expect(listed.map(({ code }) => code)).toEqual(placed)
    expect(await gather(client.orders({ externalOrderId: '2' }))).toMatchObject([{ code: placed[1] }])
    expect(await client.orderPage({ page: 2, limit: 2 })).toMatchObject({ pagination: { total: 3 } })
    const transactions = await gather(client.transactions({ limit: 2 }))
    expect(transactions.map(({ seq, amount }) => [seq, amount])).toEqual([
      ...[4, 3, 2].map((seq) => [seq, -10.5]),
      [1, 1000],
    ])
    expect(await client.transactionPage()).toMatchObject({ openingBalance: 0, closingBalance: 968.5 })
    expect(await client.balance()).toMatchObject({ balance: 968.5, currency: 'RUB' })
  })

  test('reads each result once, however often it starts again', async () => {
    const client = await newClient()
    const read: [number, string][] = []
    for (const externalOrderId of ['1', '2', '3', '4']) {
      const { code } = await client.placeOrder({ externalOrderId, items: [topUp] })
      for await (const { seq, orderCode } of client.results({ after: read.at(-1)?.[0] ?? 0, wait: 10 })) {
        read.push([seq, orderCode])
        break
      }
      expect(read.at(-1)?.[1]).toBe(code)
    }
    const all = await gather(client.results({ limit: 1, wait: 0 }))
    expect(all.map(({ seq, orderCode }) => [seq, orderCode])).toEqual(read)
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(await client.resultPage({ after: 3 })).toMatchObject({ nextAfter: 4, lastSeq: 4, hasMore: false })
  })

  test('reads events and a timeline, and sends events again', async () => {
    const partner = await service.partner()
    const receiver = await service.receiver(partner)
    const client = new SupplyClient({ baseUrl: service.api.url, apiKey: partner.key })
    const order = { externalOrderId: 'sent twice', items: [topUp], callbackUrl: receiver.url }
    const { code } = await client.placeOrder(order)
    const state = async () => (await client.order(code)).deliveries?.state
    await expect.poll(state, soon).toBe('delivered')
    const whats = (await client.timeline(code)).entries.map(({ what }) => what)
    expect(whats).toEqual(expect.arrayContaining(['placed', 'charged', 'delivered']))
    const [event, ...others] = await gather(client.events({ state: 'delivered' }))
    const eventId = event?.eventId ?? ''
    expect(others).toEqual([])
    expect(await client.event(eventId)).toMatchObject({ eventId, orderCode: code, state: 'delivered' })
    expect(await client.redeliverDead({ since: '2026-01-01', dryRun: true })).toEqual({ count: 0 })
    expect(await client.redeliver(eventId)).toMatchObject({ eventId })
    await receiver.waitFor(({ duplicate }) => duplicate, 60_000)
    await expect.poll(state, soon).toBe('delivered')
    const error = await failure(client.redeliver(eventId))
    expect(isRefused(error, 'RATE_LIMITED') && error.body.retryAfter).toBeGreaterThan(0)
  })

  test('simulates orders and events, which cost nothing', async () => {
    const partner = await service.partner({ mode: 'test' })
    const receiver = await service.receiver(partner)
    const client = new SupplyClient({ baseUrl: service.api.url, apiKey: partner.key })
    const items = [{ ...topUp, deliveryData: { gameUserId: '123400' } }]
    const order = { externalOrderId: 'simulated', items }
    const { code } = await client.simulateOrder(order)
    expect(await client.simulateOrder(order)).toMatchObject({ code, simulated: true })
    await expect.poll(async () => (await client.simulatedOrder(code)).status, soon).toBe('failed')
    const { eventId } = await client.simulateWebhook({ callbackUrl: receiver.url, eventType: 'order.failed' })
    await receiver.waitFor(({ event }) => event?.event_id === eventId, 60_000)
    await expect.poll(async () => (await client.simulatedWebhook(eventId)).state).toBe('delivered')
    expect(await client.balance()).toMatchObject({ balance: 1000, inOrders: 0 })
    expect(await gather(client.orders())).toEqual([])
  })

  test('gets the price of an order, and the reasons of refusals', async () => {
    const poor = await newClient({ balance: 15 })
    const quote = await poor.quote({ items: [topUp] })
    expect(quote).toMatchObject({ totalAmount: 10.5, balanceAfter: 4.5, wouldBeRefused: null })
    const items = [topUp, topUp]
    expect((await poor.quote({ items })).wouldBeRefused?.code).toBe('INSUFFICIENT_BALANCE')
    const refused = (order: object) => failure(poor.placeOrder({ externalOrderId: 'refused', items, ...order }))
    const unpaid = await refused({})
    expect(isRefused(unpaid, 'INSUFFICIENT_BALANCE') && unpaid.body.details.required).toBe(21)
    const capped = await refused({ maxTotal: 1 })
    expect(isRefused(capped, 'PRICE_CHANGED') && capped.body.details[0]?.price).toBe(21)
    expect(isRefused(await refused({ items: [] }), 'VALIDATION_ERROR')).toBe(true)
    expect(isRefused(await failure(poor.order('ord_none')), 'ORDER_NOT_FOUND')).toBe(true)
    const stranger = new SupplyClient({ baseUrl: service.api.url, apiKey: 'svc_live_none' })
    expect(isRefused(await failure(stranger.balance()), 'UNAUTHORIZED')).toBe(true)
    const { code } = await client.placeOrder({ externalOrderId: 'mine', items: [topUp] })
    const reused = await failure(client.placeOrder({ externalOrderId: 'mine', items }))
    expect(isRefused(reused, 'IDEMPOTENCY_KEY_REUSED') && reused.body.orderCode).toBe(code)
  })
})
