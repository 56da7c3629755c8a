import { type StandIn, type StandInAnswer, type StandInRequest, startStandIn } from './supplier_stand_in.ts'

type Card = { status: string; cardCode: string | null; [part: string]: unknown }

/** An order of the stand-in, as a test may change it. */
export type BambooOrder = {
  orderId: number
  requestId: string
  productId: number
  quantity: number
  value: number
  status: string
  cards: Card[]
}

export type Bamboo = StandIn & {
  /** The credential of our client, `clientId:clientSecret`. */
  client: string
  orders: BambooOrder[]
  accounts: object[]
  products: Map<number, object>
  violations: string[]
  /** The reason for which an order is refused; undefined: it is taken. */
  onPlacing: (reference: string) => string | undefined
  onOrder: (order: BambooOrder) => void
}

export const soldCards = (codes: readonly string[]): Card[] =>
  codes.map((cardCode, id) => ({ id, status: 'Sold', cardCode, pin: null, serialNumber: '', expirationDate: null }))

export const account = (id: number, balance: number) => ({
  ...{ id, currency: 'USD', balance, isActive: true, sandboxMode: false },
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Starts a stand-in for Bamboo's API, written from its documents, that checks each request. */
export async function startBamboo(): Promise<Bamboo> {
  const orders: BambooOrder[] = []
  const products = new Map<number, object>()
  const violations: string[] = []
  const refuse = (message: string): StandInAnswer => ({ status: 400, json: { message } })

  function place(body: unknown): StandInAnswer {
    const { RequestId: requestId, AccountId, Products } = Object(body)
    const [{ ProductId: productId, Quantity: quantity, Value: value }] = Products
    const isWhole = [AccountId, productId, quantity].every(Number.isSafeInteger) && value > 0 && Products.length === 1
    if (!isWhole || !uuid.test(requestId)) violations.push(`an order is ${JSON.stringify(body)}`)
    const reason = bamboo.onPlacing(requestId)
    if (reason !== undefined) return refuse(reason)
    // It is a reference that is unique for each client.
    if (orders.some((order) => order.requestId === requestId)) return refuse('OrderAlreadyExists')
    const order = {
      orderId: 70_000 + orders.length,
      requestId,
      productId,
      quantity,
      value,
      status: 'Created',
      cards: [],
    }
    orders.push(order)
    bamboo.onOrder(order)
    return { status: 200, json: requestId }
  }

  function read(reference: string): StandInAnswer {
    const order = orders.find(({ requestId }) => requestId === reference)
    if (order === undefined) return refuse('OrderNotFound')
    const { productId, quantity, value, cards, orderId, requestId, status } = order
    const item = { productId, productFaceValue: value, quantity, countryCode: 'US', currencyCode: 'USD', cards }
    return { status: 200, json: { orderId, requestId, items: [item], status, createdDate: '2026-01-01T00:00:00' } }
  }

  function answer({ method, path, query, headers, body }: StandInRequest): StandInAnswer {
    const basic = `Basic ${Buffer.from(bamboo.client).toString('base64')}`
    if (headers.authorization !== basic) return { status: 401, json: { message: 'no' } }
    if (method === 'POST' && path.endsWith('/v1.0/orders/checkout')) return place(body)
    const reference = /\/v1\.0\/orders\/([^/]+)$/.exec(path)?.[1]
    if (method === 'GET' && reference !== undefined) return read(reference)
    if (method === 'GET' && path.endsWith('/v1.0/accounts')) return { status: 200, json: { accounts: bamboo.accounts } }
    if (method !== 'GET' || !path.endsWith('/v2.0/catalog')) violations.push(`${method} ${path}`)
    const product = products.get(Number(query.get('ProductId')))
    const items = product === undefined ? [] : [{ name: 'A brand', products: [{ id: 1, count: 3 }, product] }]
    return { status: 200, json: { pageIndex: 0, pageSize: 100, count: items.length, items } }
  }

  const standIn = await startStandIn({ places: ({ method }) => method === 'POST', answer })
  const bamboo: Bamboo = Object.assign(standIn, {
    ...{ client: 'client:secret-of-nobody', orders, products, violations },
    accounts: [account(554, 7), account(555, 1000)],
    onPlacing: () => undefined,
    onOrder: () => {},
  })
  return bamboo
}
