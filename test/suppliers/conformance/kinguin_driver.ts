import { createKinguinAdapter } from '../../../src/suppliers/kinguin/adapter.ts'
import { type Kinguin, startKinguin, type TestOrder, testProduct, textKeys } from '../../support/servers/kinguin.ts'
import type { StandInAnswer } from '../../support/servers/supplier_stand_in.ts'
import type { ConformanceDriver, Plan, Standing, TestSupplier } from './driver.ts'

const productId = '5c9b5f6b2539a4e8f172916a'

/** The protocol `kinguin`, before a stand-in that checks each request by the API's documents. */
export const kinguinDriver: ConformanceDriver = {
  protocol: 'kinguin',
  create: createKinguinAdapter,
  startSupplier,
  call: { sku: productId, unitCost: '4.75', currency: 'EUR' },
  foreign: {
    'names another order': changing({ orderExternalId: crypto.randomUUID() }),
    'is about another product': changingProducts({ productId: 'another' }),
    'is about another quantity': changingProducts({ qty: 7 }),
    'has keys of another product': (answer) =>
      Array.isArray(answer.json)
        ? { ...answer, json: answer.json.map((key) => ({ ...key, productId: 'another' })) }
        : answer,
  },
  outcomes: {
    refused: { outcome: 'not_placed', cause: 'settings' },
    balanceSpent: { outcome: 'not_placed', cause: 'balance' },
    tokenExpired: { outcome: 'not_placed', cause: 'credentials' },
  },
  events: {
    about: (orderExternalId, { secret }) =>
      eventOf('order.status', secret, { orderId: orderExternalId.slice(0, 8), orderExternalId }),
    other: ({ secret }) => eventOf('product.update', secret, { productId, qty: 1 }),
  },
}

async function startSupplier(): Promise<TestSupplier> {
  const kinguin = await startKinguin()
  const plans = new Map<string, Plan>()
  kinguin.products.set(productId, testProduct(productId, { qty: 100_000, textQty: 100_000 }))
  const planned = ({ orderExternalId }: { orderExternalId: string | null }) => plans.get(orderExternalId ?? '')
  kinguin.onPlacing = (reference) => refusals[String(planned({ orderExternalId: reference }))]
  kinguin.onOrder = (order) => apply(order, planned(order))
  return Object.assign(kinguin, {
    url: kinguin.baseUrl,
    token: kinguin.apiKey,
    secret: 'a-secret-of-events',
    plan: (reference: string, plan: Plan) => {
      plans.set(reference, plan)
      for (const order of ordersOf(kinguin, reference)) apply(order, plan)
    },
    ordersFor: (reference: string) => ordersOf(kinguin, reference).length,
    changeToken: (apiKey: string) => {
      kinguin.apiKey = apiKey
    },
    fund: (balance: number) => {
      kinguin.balance = balance
    },
    list: ({ cost, stock }: { cost: string; stock: number | null }) => {
      const textQty = stock ?? 0
      kinguin.products.set(productId, testProduct(productId, { price: Number(cost), qty: textQty + 5, textQty }))
    },
  })
}

const refusals: Record<string, { status: number; kind: string; propertyPath?: string }> = {
  refuse: { status: 400, kind: 'ConstraintViolation', propertyPath: 'products[0].productId' },
  'out of stock': { status: 400, kind: 'ProductUnavailable' },
  'balance spent': { status: 400, kind: 'InsufficientBalance' },
}

const statuses: Record<Standing['status'], string> = {
  processing: 'processing',
  completed: 'completed',
  failed: 'canceled',
}

function apply(order: TestOrder, plan: Plan | undefined): void {
  if (typeof plan !== 'object') return
  order.status = statuses[plan.status]
  order.keys = textKeys(plan.codes)
}

function ordersOf({ orders }: Kinguin, reference: string): TestOrder[] {
  return orders.filter(({ orderExternalId }) => orderExternalId === reference)
}

type AnyOrder = { products: object[]; [field: string]: unknown }

/** Changes the orders of an answer, whether it is one or has found some. */
function changingOrders(change: (order: AnyOrder) => object): (answer: StandInAnswer) => StandInAnswer {
  return (answer) => {
    const json = answer.json as AnyOrder & { results?: AnyOrder[] }
    if (json.results !== undefined) return { ...answer, json: { ...json, results: json.results.map(change) } }
    return json.products === undefined ? answer : { ...answer, json: change(json) }
  }
}

function changing(fields: object) {
  return changingOrders((order) => ({ ...order, ...fields }))
}

function changingProducts(fields: object) {
  return changingOrders((order) => ({
    ...order,
    products: order.products.map((product) => ({ ...product, ...fields })),
  }))
}

function eventOf(name: string, secret: string, data: object) {
  const about = { status: 'completed', updatedAt: '2026-01-01T00:00:00.000+00:00' }
  return {
    headers: { 'x-event-name': name, 'x-event-secret': secret },
    rawBody: Buffer.from(JSON.stringify({ ...about, ...data })),
    secret,
    now: new Date(),
  }
}
