import { expect, test } from 'vitest'
import { signature } from '../../src/messages/sign.ts'
import { products } from '../support/partner.ts'
import { compareAccount } from './compare.ts'
import type { Account, Intent } from './model.ts'
import { codesOf } from './plans.ts'
import type { Received } from './receivers.ts'
import { createReport } from './report.ts'

type Json = ReturnType<typeof JSON.parse>

/** A partner with an order that was completed and one of which a part was delivered, as all who are asked tell it. */
function tellStory() {
  const [done, part] = ['11111111-0000-4000-8000-000000000001', '22222222-0000-4000-8000-000000000002'] as const
  const full = {
    ...{ code: 'A', externalOrderId: 'a', status: 'completed', outcome: 'full', totalAmount: 10.5, refundedAmount: 0 },
    callbackUrl: 'http://127.0.0.1:1/hook/takes/a',
    items: [{ id: done, productId: products.topUp, amount: 1, price: 10.5, status: 'completed', refundedAmount: 0 }],
  }
  const key = { productId: products.key, price: 20 }
  const cdKeys = codesOf(part, 1).map((code) => ({ code }))
  const partial = {
    ...{ code: 'B', externalOrderId: 'b', status: 'failed', outcome: 'partial', totalAmount: 40, refundedAmount: 20 },
    callbackUrl: null,
    items: [
      { id: part, ...key, amount: 1, status: 'completed', refundedAmount: 0, cdKeys },
      { id: 'rest', ...key, amount: 1, status: 'failed', refundedAmount: 20 },
    ],
  }
  const rows: Json[] = [
    { seq: 1, type: 'deposit', amount: 100, balanceAfter: 100, orderCode: null },
    { seq: 2, type: 'order_charge', amount: -10.5, balanceAfter: 89.5, orderCode: 'A' },
    { seq: 3, type: 'order_charge', amount: -40, balanceAfter: 49.5, orderCode: 'B' },
    { seq: 4, type: 'order_refund', amount: 20, balanceAfter: 69.5, orderCode: 'B' },
  ]
  const data = { orderCode: 'A', externalOrderId: 'a', totalAmount: 10.5, items: [{ amount: 1, price: 10.5 }] }
  const body = JSON.stringify({ event_id: 'e', event_type: 'order.completed', data })
  const delivery = { at: 5_000, timestamp: '5', signature: signature('s', 5, body), type: 'order.completed' }
  const event: Received = {
    ...{ eventId: 'e', path: '/hook/takes/a', body, taken: 1 },
    deliveries: [{ ...delivery, answer: '200' }],
  }
  const taken = { taken: true, quantity: 1 }
  return {
    orders: [full, partial] as Json[],
    rows,
    balance: { balance: 69.5, inOrders: 0 } as Json,
    events: new Map([['A', [event]]]),
    first: { [done]: taken, [part]: { taken: true, quantity: 2 } } as Json,
    second: {} as Json,
  }
}

type Story = ReturnType<typeof tellStory>

/** What the comparison has to say about a story. */
async function judge({ orders, rows, balance, events, first, second }: Story): Promise<string[]> {
  const report = createReport(() => {})
  const pages: { [path: string]: Json } = {
    '/b2b/orders?limit=100': { orders, pagination: { hasMore: false } },
    '/b2b/balance/transactions?limit=100': { transactions: rows.toReversed(), pagination: { hasMore: false } },
    '/b2b/balance': balance,
    ...Object.fromEntries(orders.map((order) => [`/b2b/orders/${order.code}`, order])),
  }
  const client = {
    send: async (_: string, path: string) => ({ status: 200, headers: {}, json: { data: pages[path] } }),
    close: async () => {},
  }
  const operators = { rounds: () => 0, webhookSecret: async () => 's', movingPrices: new Set<number>() }
  const entry = (code: string, id: string) => (code === 'first' ? first[id] : second[id])
  const suppliers = { entry, repeated: { madeOf: () => undefined } }
  await compareAccount(partner(), { client, operators, suppliers, events, report })
  return report.differences()
}

function partner(): Account {
  const account: Account = {
    ...{ accountId: 1, sort: 'rich', key: 'k', address: '10.7.0.1', wasSwitchedOff: false, statuses: new Map() },
    entries: new Map([['first deposit', 10_000]]),
    intents: [],
  }
  const told = { account, idempotencyKey: undefined, receiver: undefined, isRefusable: false }
  const answers = { created: 1, refused: 0, unknown: 0 }
  const item = (productId: number, quantity: number, plan: 'completes' | 'partial') => ({
    ...{ productId, quantity, deliveryData: { plan, gameUserId: '1' } },
  })
  const one: Intent = {
    ...{ ...told, ...answers, total: 1_050, codes: new Set(['A']) },
    body: {
      ...{ externalOrderId: 'a', callbackUrl: 'http://127.0.0.1:1/hook/takes/a' },
      items: [item(products.topUp, 1, 'completes')],
    },
  }
  const other: Intent = {
    ...{ ...told, ...answers, total: 4_000, codes: new Set(['B']) },
    body: { externalOrderId: 'b', items: [item(products.key, 2, 'partial')] },
  }
  account.intents.push(one, other)
  return account
}

test('the comparison of the storm finds no difference where all agree', async () => {
  expect(await judge(tellStory())).toEqual([])
})

const lies: { [what: string]: (story: Story) => unknown } = {
  'an order is missing': ({ orders }) => orders.pop(),
  'an order is there twice': ({ orders }) => orders.push(orders[0]),
  'an order that nobody placed': ({ orders }) => orders.push({ ...orders[0], code: 'C', externalOrderId: 'c' }),
  'an order under another code': ({ orders }) => (orders[0].code = 'C'),
  'an order at another price': ({ orders }) => (orders[0].totalAmount = 10.51),
  'an item at another price': ({ orders }) => (orders[0].items[0].price = 10.51),
  'an order that is not final': ({ orders }) => (orders[0].status = 'processing'),
  'an item that is not final': ({ orders }) => (orders[0].items[0].status = 'processing'),
  'codes of somebody else': ({ orders }) => (orders[1].items[0].cdKeys = [{ code: 'other' }]),
  'a refund too many': ({ rows, balance }) => {
    rows.push({ ...rows[3], seq: 5, balanceAfter: 89.5 })
    balance.balance = 89.5
  },
  'a refund too few': ({ rows, balance }) => {
    rows.pop()
    balance.balance = 49.5
  },
  'a charge too many': ({ rows, balance }) => {
    rows.push({ ...rows[1], seq: 5, balanceAfter: 59 })
    balance.balance = 59
  },
  'a charge of another amount': ({ rows }) => (rows[1].amount = -10),
  'a deposit that is lost': ({ rows }) => rows.splice(0, 1),
  'a gap in the statement': ({ rows }) => (rows[3].seq = 5),
  'another balance': ({ balance }) => (balance.balance = 69.51),
  'no event': ({ events }) => events.clear(),
  'two events': ({ events }) => events.get('A')?.push({ ...(events.get('A')?.[0] as Received), eventId: 'f' }),
  'an event about a partial order': ({ events }) => events.set('B', events.get('A') ?? []),
  'an event that nobody took': ({ events }) => changeEvent(events, { taken: 0 }),
  'an event elsewhere': ({ events }) => changeEvent(events, { path: '/hook/takes/b' }),
  'an event of another amount': ({ events }) =>
    changeEvent(events, { body: events.get('A')?.[0]?.body.replace('10.5', '9') ?? '' }),
  'ten sends': ({ events }) => {
    const [delivery] = events.get('A')?.[0]?.deliveries ?? []
    changeEvent(events, { deliveries: Array(10).fill(delivery) })
  },
  'a wrong signature': ({ events }) => {
    const [delivery] = events.get('A')?.[0]?.deliveries ?? []
    changeEvent(events, { deliveries: [{ ...(delivery as Received['deliveries'][number]), signature: 'x' }] })
  },
  'an item that no supplier got': ({ first }) => {
    for (const id of Object.keys(first)) delete first[id]
  },
  'an item at two suppliers': ({ first, second }) => Object.assign(second, first),
}

function changeEvent(events: Story['events'], change: Partial<Received>): void {
  const [event] = events.get('A') ?? []
  if (event !== undefined) events.set('A', [{ ...event, ...change }])
}

test.each(Object.entries(lies))('the comparison of the storm finds %s', async (_, lie) => {
  const story = tellStory()
  lie(story)
  expect(await judge(story)).not.toEqual([])
})
