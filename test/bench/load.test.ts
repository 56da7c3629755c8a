import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { OrderResult, OrderRun, ReadResult } from './load.ts'
import { type Load, startLoad } from './stage.ts'

type Order = { externalOrderId: string; callbackUrl?: string }
type Handler = (order: Order, response: ServerResponse) => Promise<void> | void

let load: Load
let api: Server
let port: number
let handle: Handler
let taken: string[]

beforeAll(async () => {
  load = await startLoad(0)
  api = createServer(async (incoming: IncomingMessage, response) => {
    const body = await text(incoming)
    if (incoming.method === 'GET') return void response.writeHead(incoming.url === '/good' ? 200 : 404).end('{}')
    const order: Order = JSON.parse(body)
    taken.push(order.externalOrderId)
    await handle(order, response)
  })
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  port = (api.address() as AddressInfo).port
})

beforeEach(() => {
  taken = []
  handle = accept
})

afterAll(async () => {
  await load.stop()
  api.close()
  api.closeAllConnections()
})

/** Answers as the API does, in pieces, as a network may. */
function accept(_: Order, response: ServerResponse): void {
  response.writeHead(201, { 'content-length': 4 })
  response.write('{"')
  response.end('a}')
}

async function sendWebhook({ callbackUrl = '' }: Order): Promise<void> {
  const outgoing = request(callbackUrl, { method: 'POST', agent: false })
  outgoing.end('{}')
  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  response?.resume()
}

function orders(run: Partial<OrderRun>): Promise<OrderResult> {
  const callback = run.untilWebhook ? `http://127.0.0.1:${load.ports.receivers[0]}/hook` : null
  const defaults = { pace: { underWay: 4 }, untilWebhook: false, warmUpMs: 0, ms: 60_000, limit: 40 }
  const shoppers = [{ key: 'one', callback }]
  return load.run<OrderResult>({ kind: 'orders', port, shoppers, ...defaults, ...run })
}

it('the load places each order once, under a reference of its own, and no more than the limit', async () => {
  const { orders: ended, accepted, refused } = await orders({})
  expect({ ended, accepted, refused }).toEqual({ ended: 40, accepted: 40, refused: 0 })
  expect(taken.length).toBe(40)
  expect(new Set(taken).size).toBe(40)
})

it('the load counts each answer but 201 and each broken connection as refused', async () => {
  handle = (order, response) => {
    if (taken.length === 10) response.writeHead(402).end('{}')
    else if (taken.length === 20) response.socket?.destroy()
    else accept(order, response)
  }
  const { orders: ended, accepted, refused } = await orders({})
  expect({ ended, accepted, refused }).toEqual({ ended: taken.length - 2, accepted: taken.length - 2, refused: 2 })
})

it('the load follows an order to its webhook, also where that arrives before the response', async () => {
  let early = 0
  handle = async (order, response) => {
    const before = taken.length % 2 === 0
    if (before) {
      await sendWebhook(order)
      early += 1
    }
    accept(order, response)
    if (!before) await sendWebhook(order)
  }
  const { orders: ended, lost, twice } = await orders({ untilWebhook: true })
  expect({ ended, lost, twice }).toEqual({ ended: 40, lost: 0, twice: 0 })
  expect(early).toBeGreaterThan(0)
})

it('the load counts a webhook that arrives twice', async () => {
  handle = async (order, response) => {
    await sendWebhook(order)
    await sendWebhook(order)
    accept(order, response)
  }
  const { orders: ended, twice } = await orders({ untilWebhook: true })
  expect({ ended, twice }).toEqual({ ended: 40, twice: 40 })
})

it('at a fixed rate the load measures from the planned moment, also when the service stalls', async () => {
  const stalled: (() => void)[] = []
  const goOn = () => {
    for (const answer of stalled.splice(0)) answer()
  }
  handle = (order, response) => {
    stalled.push(() => accept(order, response))
    // As many as there are connections: the orders after these wait for one.
    if (taken.length === 128) setTimeout(goOn, 500)
    else if (taken.length > 128) goOn()
  }
  const pace = { perSecond: 1000 }
  const { latencies, accepted, refused } = await orders({ pace, limit: 400 })
  expect({ accepted, refused }).toEqual({ accepted: 400, refused: 0 })
  expect(latencies.p50).toBeGreaterThan(200)
})

it('the load counts reads that fail', async () => {
  const paths = ['/good', '/bad']
  const run = { kind: 'reads', port, key: 'one', paths, rounds: 3, ms: 60_000 } as const
  const { p50, failed } = await load.run<ReadResult>(run)
  expect(failed).toBe(3)
  expect(p50[0]).toBeGreaterThan(0)
})
