// Places an order and waits for its result: node first_order.ts shop-1001 [product id]
// Needs Node 24 or newer, and BASE_URL and API_KEY in the environment; CALLBACK_URL is optional.
// The argument is your own purchase number: with the same number, the program finds the same order.
// Exits with 0 if the order is completed, 2 for wrong arguments, otherwise 1.
import { setTimeout as sleep } from 'node:timers/promises'

type Item = {
  productName: string
  amount: number
  status: string
  errorCode: string | null
  cdKeys?: Record<string, string>[]
}
type Order = {
  code: string
  status: string
  totalAmount: number
  currency: string
  items: Item[]
}

/** An answer that a repeat would not change. */
class Refused extends Error {}

/** Sends a request, and the very same one again while its outcome is unknown. */
async function send(method: 'GET' | 'POST', path: string, body?: string): Promise<Order> {
  let problem = ''
  for (let attempt = 0; attempt < 8; attempt += 1) {
    let pause = Math.min(0.5 * 2 ** attempt, 30) + Math.random() / 2
    try {
      const response = await fetch(`${process.env.BASE_URL}${path}`, {
        method,
        headers: { 'X-Api-Key': process.env.API_KEY ?? '', 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual', // a redirect would carry the key to another server
        signal: AbortSignal.timeout(30_000),
      })
      const { status, headers } = response
      const text = await response.text()
      if (response.ok) return JSON.parse(text).data
      problem = `HTTP ${status}, request ${headers.get('x-request-id')}: ${text}`
      if (status < 500 && status !== 408 && status !== 429) throw new Refused(problem)
      pause = Math.max(pause, Math.min(Number(headers.get('retry-after')) || 0, 60))
    } catch (error) {
      if (error instanceof Refused) throw error
      problem = `no answer: ${error}`
    }
    console.error(`${problem}; again in ${pause.toFixed(1)} s`)
    await sleep(pause * 1000)
  }
  throw new Error(`gave up, outcome unknown: run the same command again (${problem})`)
}

async function main(externalOrderId: string, productId: number): Promise<boolean> {
  const request = {
    externalOrderId,
    items: [{ productId, quantity: 1, deliveryData: { gameUserId: '123456789' } }],
    ...(process.env.CALLBACK_URL ? { callbackUrl: process.env.CALLBACK_URL } : {}),
  }
  let order = await send('POST', '/b2b/orders', JSON.stringify(request))
  console.log(`placed ${order.code} for ${order.totalAmount.toFixed(2)} ${order.currency}`)

  const isFinal = () => order.status === 'completed' || order.status === 'failed'
  for (let reads = 0; !isFinal() && reads < 25; reads += 1) {
    await sleep(Math.min(500 * 2 ** reads, 30_000))
    order = await send('GET', `/b2b/orders/${order.code}`)
  }
  console.log(`${order.status} ${order.code}`)
  for (const { amount, productName, status, errorCode, cdKeys = [] } of order.items) {
    const error = errorCode === null ? '' : ` (${errorCode})`
    console.log(`  ${amount} x ${productName}: ${status}${error}`)
    for (const key of cdKeys) console.log(`    ${Object.values(key).join(' ')}`)
  }
  return order.status === 'completed'
}

const [externalOrderId, productId = '101'] = process.argv.slice(2)
if (!process.env.BASE_URL || !process.env.API_KEY || !externalOrderId) {
  console.error('usage: set BASE_URL and API_KEY, then: node first_order.ts shop-1001 [product]')
  process.exit(2)
}
try {
  process.exitCode = (await main(externalOrderId, Number(productId))) ? 0 : 1
} catch (error) {
  console.error(error instanceof Refused ? `refused: ${error.message}` : String(error))
  process.exitCode = 1
}
