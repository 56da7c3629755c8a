import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { percentile, type Report } from './figures.ts'
import { makeShop, makeShoppers, orderBody, type Shopper } from './shop.ts'
import type { Stage } from './stage.ts'

const underWay = [1, 16, 64, 256]
const accounts = 50
const warmUpMs = 2_000
const ms = 8_000
const longestWayMs = 10_000

/**
 * Whole orders per second, and how long each takes from the request to the arrival of its webhook: the API and the
 * worker in processes of their own, and a supplier and a receiver that answer at once. So many orders are under way at
 * a time; the next one is placed when one has arrived.
 */
export async function whole(stage: Stage): Promise<Report> {
  const { url, sql } = await stage.database()
  const supplier = await listen((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"completed"}')
  })
  const arrivals = new Map<string, () => void>()
  const receiver = await listen((request, response) => {
    request.resume()
    response.writeHead(200).end()
    arrivals.get(request.url?.slice(1) ?? '')?.()
  })
  await makeShop(sql, supplier.url)
  const shoppers = await makeShoppers(sql, accounts)
  const env = { DATABASE_URL: url, CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'info' }
  await stage.program({ args: ['worker'], env, ready: 'the worker runs' })
  const quiet = { ...env, LOG_LEVEL: 'warn', PORT: '0', RATE_LIMIT_PER_MINUTE: '2147483647' }
  const line = await stage.program({ args: ['api'], env: quiet, ready: 'ready:' })
  const pool = new Pool(line.slice(line.indexOf('http')), { connections: Math.max(...underWay) })

  const rows: Report['rows'] = []
  for (const [name, who] of [
    ['one account', shoppers.slice(0, 1)],
    [`${accounts} accounts`, shoppers],
  ] as const) {
    for (const count of underWay) {
      const { ways, lost } = await run(pool, who, count, receiver.url, arrivals)
      const rate = Math.round(ways.length / (ms / 1000))
      rows.push([name, count, rate, percentile(ways, 50), percentile(ways, 95), lost])
    }
  }
  await pool.destroy()
  supplier.close()
  receiver.close()
  return {
    title: 'Whole orders: placed, supplied, told by webhook',
    columns: ['of', 'under way', 'orders/s', 'p50 ms', 'p95 ms', 'not arrived'],
    rows,
  }
}

async function run(
  pool: Pool,
  shoppers: readonly Shopper[],
  count: number,
  receiverUrl: string,
  arrivals: Map<string, () => void>,
): Promise<{ ways: number[]; lost: number }> {
  const ways: number[] = []
  let lost = 0
  let counter = 0
  const begin = performance.now() + warmUpMs
  const end = begin + ms

  async function shop(): Promise<void> {
    while (performance.now() < end) {
      counter += 1
      const name = `${count}-${shoppers.length}-${counter}`
      const key = shoppers[counter % shoppers.length]?.key ?? ''
      const sent = performance.now()
      const arrived = arrivalOf(name, arrivals)
      const response = await pool.request({
        method: 'POST',
        path: '/b2b/orders',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: orderBody(name, `${receiverUrl}/${name}`),
      })
      await response.body.dump()
      const came = response.statusCode === 201 && (await arrived)
      const now = performance.now()
      if (!came) lost += 1
      else if (now >= begin && now <= end) ways.push(now - sent)
    }
  }
  await Promise.all(Array.from({ length: count }, shop))
  return { ways, lost }
}

function arrivalOf(name: string, arrivals: Map<string, () => void>): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (came: boolean) => {
      clearTimeout(timer)
      arrivals.delete(name)
      resolve(came)
    }
    const timer = setTimeout(() => settle(false), longestWayMs)
    arrivals.set(name, () => settle(true))
  })
}

async function listen(handle: RequestListener) {
  const server = createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}
