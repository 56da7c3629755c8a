import { createBambooAdapter } from '../../../src/suppliers/bamboo/adapter.ts'
import { account, type BambooOrder, soldCards, startBamboo } from '../../support/servers/bamboo.ts'
import type { StandInAnswer } from '../../support/servers/supplier_stand_in.ts'
import type { ConformanceDriver, Plan, TestSupplier } from './driver.ts'

/** The protocol `bamboo`, before a stand-in that checks each request by the API's documents. */
export const bambooDriver: ConformanceDriver = {
  protocol: 'bamboo',
  create: createBambooAdapter,
  startSupplier,
  call: { sku: '439685/10', unitCost: '9.50', currency: 'USD' },
  foreign: {
    'names another reference': changing((order) => ({ ...order, requestId: crypto.randomUUID() })),
    'is about another product': changingItems({ productId: 439_686 }),
    'is about another face value': changingItems({ productFaceValue: 100 }),
    'is about another quantity': changingItems({ quantity: 7 }),
  },
  outcomes: {
    refused: { outcome: 'not_placed', cause: 'settings' },
    balanceSpent: { outcome: 'not_placed', cause: 'balance' },
    tokenExpired: { outcome: 'not_placed', cause: 'credentials' },
    byStatus: {
      401: { outcome: 'not_placed', cause: 'credentials' },
      403: { outcome: 'not_placed', cause: 'credentials' },
      429: { outcome: 'not_placed', cause: 'busy' },
    },
  },
  events: {
    about: (requestId, { secret }) => eventOf(secret, { requestId, orderId: 70_000, status: 'Succeeded' }),
    other: ({ secret }) => eventOf(secret, { RequestId: 'shop-1001', Status: 'Failed' }),
    unproven: (event) => ({ ...event, rawBody: Buffer.from(String(event.rawBody).replace('secretKey', 'key')) }),
  },
}

const refusals: { [plan: string]: string } = {
  refuse: 'InvalidDenomination',
  'out of stock': 'ProductIsOutOfStock',
  'balance spent': 'InsufficientBalance',
}

async function startSupplier(): Promise<TestSupplier> {
  const bamboo = await startBamboo()
  const plans = new Map<string, Plan>()
  bamboo.onPlacing = (reference) => refusals[String(plans.get(reference))]
  bamboo.onOrder = (order) => apply(order, plans.get(order.requestId))
  const ordersOf = (reference: string) => bamboo.orders.filter(({ requestId }) => requestId === reference)
  return Object.assign(bamboo, {
    token: `555:${bamboo.client}`,
    nextToken: '555:client:the-next-secret',
    secret: 'a-secret-of-events',
    plan: (reference: string, plan: Plan) => {
      plans.set(reference, plan)
      for (const order of ordersOf(reference)) apply(order, plan)
    },
    ordersFor: (reference: string) => ordersOf(reference).length,
    changeToken: (token: string) => {
      bamboo.client = token.slice('555:'.length)
    },
    fund: (balance: number) => {
      bamboo.accounts = [account(554, 7), account(555, balance)]
    },
    list: ({ cost, stock }: { cost: string; stock: number | null }) => {
      const price = { min: Number(cost), max: Number(cost), currencyCode: 'USD' }
      bamboo.products.set(439_685, { id: 439_685, minFaceValue: 10, maxFaceValue: 10, count: stock, price })
    },
  })
}

function apply(order: BambooOrder, plan: Plan | undefined): void {
  if (typeof plan !== 'object') return
  const failed = plan.codes.length > 0 ? 'PartialFailed' : 'Failed'
  order.status = { processing: 'Processing', completed: 'Succeeded', failed }[plan.status]
  order.cards = soldCards(plan.codes)
}

type Fields = { [field: string]: unknown }

/** Changes the order that an answer names, or shows. */
function changing(change: (order: Fields) => Fields): (answer: StandInAnswer) => StandInAnswer {
  return (answer) => {
    const { json } = answer
    if (typeof json === 'string') return { ...answer, json: change({ requestId: json }).requestId }
    return { ...answer, json: change(json as Fields) }
  }
}

function changingItems(fields: Fields) {
  return changing(({ items, ...order }) =>
    Array.isArray(items) ? { ...order, items: items.map((item) => ({ ...item, ...fields })) } : order,
  )
}

function eventOf(secretKey: string, data: object) {
  return {
    headers: {},
    rawBody: Buffer.from(JSON.stringify({ ...data, secretKey })),
    secret: secretKey,
    now: new Date(),
  }
}
