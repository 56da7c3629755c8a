import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as v from 'valibot'
import { readBytes } from '../../messages/bytes.ts'
import { parseJson } from '../../messages/json.ts'
import { listen } from '../../network/listen.ts'
import { behaviourFor } from '../../simulation/scenarios.ts'
import {
  answerTo,
  deliversCodes,
  isSoldOut,
  type SimulatedAnswer,
  type SimulatedOrder,
  type SimulatedRequest,
} from './orders.ts'
import { createPusher, type SimulatorEvent } from './push.ts'
import { answerUpstream, type UpstreamOrder, type UpstreamState } from './upstream.ts'

/** How to start a simulator. `timeScale` stretches its delays: 0.01 makes 2 seconds 20 milliseconds. */
export type SimulatorOptions = {
  port?: number
  host?: string
  token?: string
  webhookSecret?: string
  log?: (event: SimulatorEvent) => void
  timeScale?: number
}

/**
 * A running simulator. It holds `orders` of the protocol `http` by reference, `upstreamOrders` of `b2b` by idempotency
 * key.
 */
export type Simulator = {
  url: string
  port: number
  token: string
  webhookSecret: string
  orders: ReadonlyMap<string, SimulatedOrder>
  upstreamOrders: ReadonlyMap<string, UpstreamOrder>
  close: () => Promise<void>
}

/** The default token of the simulator. It protects nothing of value. */
export const simulatorToken = 'simulator-token'

/** The default secret of the simulator's webhooks. It protects nothing of value either. */
const simulatorWebhookSecret = '0123456789abcdef'.repeat(4)

const maxBodyBytes = 64 * 1024
const maxOrders = 100_000
const maxCodes = 10_000

const orderSchema = v.object({
  reference: v.string(),
  sku: v.string(),
  quantity: v.pipe(v.number(), v.integer(), v.minValue(1)),
  deliveryData: v.nullish(v.record(v.string(), v.unknown()), () => ({})),
})

type State = {
  orders: Map<string, SimulatedOrder>
  upstream: UpstreamState
  token: string
  /** The seconds of the simulation since an order was accepted. */
  elapsed: (order: SimulatedOrder) => number
  log: (event: SimulatorEvent) => void
}

/**
 * Starts a supplier for demos and tests that speaks two protocols: `http` (PUT and GET /orders/{reference}, with
 * `Authorization: Bearer {token}`), and `b2b` (the orders and the catalog of this service's family below /b2b, with
 * `X-Api-Key: {token}`, for the products of the demo). By the last two digits of `deliveryData.gameUserId` an order
 *
 * - completes after 2 s (any other digits, or no player id)
 * - `00` is refused with a reason (`http`: 422; `b2b`: taken, and failed at once)
 * - `01` fails after 5 s
 * - `02` is delivered in part after 2 s: half of the codes, rounded down; where there are no codes it fails
 * - `03` gets a 500 to its first two calls, then completes
 * - `04` completes after 60 s
 * - `05` is never answered
 * - `06` is delivered at once, but its PUT or POST is never answered
 *
 * With `http` it delivers `quantity` codes where the sku begins with `KEY-`, and none otherwise; a sku that ends with
 * `-SOLD-OUT` is out of stock. A repeated PUT or POST is the same order. Orders are held in memory, the newest 100,000
 * of each protocol; after a restart a reference that comes again gets the same codes. Orders of `b2b`
 * with a `callbackUrl` have webhooks, signed with `webhookSecret` and tried once.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, timeScale = 1, log = () => {} } = options
  const { token = simulatorToken, webhookSecret = simulatorWebhookSecret } = options
  const pusher = createPusher({ timeScale, secret: webhookSecret, log })
  const orders = new Map<string, SimulatedOrder>()
  const upstreamOrders = new Map<string, UpstreamOrder>()
  const elapsed = (order: SimulatedOrder) => (Date.now() - order.acceptedAt) / 1000 / timeScale
  const accept = (key: string, order: UpstreamOrder) => {
    keep(upstreamOrders, key, order)
    pusher.schedule(order)
  }
  const state: State = { orders, upstream: { orders: upstreamOrders, accept, elapsed }, token, elapsed, log }
  const server = createServer((request, response) => void handle(state, request, response))
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  const { url, port: actualPort, close } = await listen(server, host, port)
  return {
    url,
    port: actualPort,
    token,
    webhookSecret,
    orders,
    upstreamOrders,
    async close() {
      await pusher.close()
      await close()
    },
  }
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await answerRequest(state, request)
  state.log({
    event: 'call',
    method: request.method ?? '',
    path: request.url ?? '',
    answer: answer === 'silence' ? answer : answer.status,
  })
  if (answer === 'silence') return
  response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(answer.body))
}

async function answerRequest(state: State, request: IncomingMessage): Promise<SimulatedAnswer> {
  if (request.url?.startsWith('/b2b/')) return answerB2b(state, request)
  if (request.headers.authorization !== `Bearer ${state.token}`) return problem(401, 'Unauthorized')
  const reference = /^\/orders\/([A-Za-z0-9_-]{1,64})$/.exec(request.url ?? '')?.[1]
  if (reference === undefined) return problem(404, 'No such route')
  if (request.method === 'GET') return answerGet(state, reference)
  if (request.method !== 'PUT') return problem(405, 'Only PUT and GET')
  const body = await readBody(request)
  if (body === undefined) return problem(413, 'The body is larger than 64 KiB')
  return answerPut(state, reference, body)
}

function answerGet(state: State, reference: string): SimulatedAnswer {
  const order = state.orders.get(reference)
  if (order === undefined) return problem(404, 'No such order')
  order.gets += 1
  return answerTo('GET', order, state.elapsed(order))
}

function answerPut(state: State, reference: string, body: Buffer): SimulatedAnswer {
  const wanted = v.safeParse(orderSchema, parseJson(body)?.value)
  if (!wanted.success || wanted.output.reference !== reference) return problem(400, 'Not an order')
  const { sku, quantity } = wanted.output
  if (isSoldOut(sku) || (deliversCodes(sku) && quantity > maxCodes)) return refuseAsSoldOut(reference)
  const order = state.orders.get(reference) ?? accept(state, wanted.output)
  order.puts += 1
  return answerTo('PUT', order, state.elapsed(order))
}

function accept(state: State, wanted: SimulatedRequest): SimulatedOrder {
  const order = { ...wanted, behaviour: behaviourFor(wanted), acceptedAt: Date.now(), puts: 0, gets: 0 }
  keep(state.orders, order.reference, order)
  return order
}

async function answerB2b(state: State, request: IncomingMessage): Promise<SimulatedAnswer> {
  if (request.headers['x-api-key'] !== state.token) {
    return { status: 401, body: { error: 'Unauthorized', message: 'Invalid or missing API key' } }
  }
  const body = await readBody(request)
  if (body === undefined) return problem(413, 'The body is larger than 64 KiB')
  const key = request.headers['x-idempotency-key']
  return answerUpstream(state.upstream, {
    method: request.method ?? '',
    path: (request.url ?? '').slice('/b2b'.length),
    idempotencyKey: typeof key === 'string' ? key : undefined,
    body,
  })
}

function keep<T>(orders: Map<string, T>, key: string, order: T): void {
  orders.set(key, order)
  const [oldest] = orders.keys()
  if (orders.size > maxOrders && oldest !== undefined) orders.delete(oldest)
}

function refuseAsSoldOut(reference: string): SimulatedAnswer {
  const reason = 'Товар временно закончился. Попробуйте оформить заказ позже.'
  return { status: 422, body: { reference, status: 'failed', errorCode: 'OUT_OF_STOCK', reason } }
}

function problem(status: number, error: string): SimulatedAnswer {
  return { status, body: { error } }
}

/** The body; undefined if it is over the limit, or its sender went away. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const { bytes, tooLarge } = await readBytes(request, maxBodyBytes)
    return tooLarge ? undefined : bytes
  } catch {
    return undefined
  }
}
