// Orders a purchase once, wherever this program is killed. Needs Node 24.
//
//   node idempotent_purchase.ts shop-1001 123456789   records a purchase, and orders what is open
//   node idempotent_purchase.ts                       orders what is open, as after a crash
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

const { BASE_URL = 'http://127.0.0.1:3000', API_KEY = '', DATABASE = 'shop.db' } = process.env
const headers = { 'X-Api-Key': API_KEY, 'Content-Type': 'application/json' }
const [reference, player] = process.argv.slice(2)

process.umask(0o077) // an answer can hold keys of games
const db = new DatabaseSync(DATABASE)
db.exec(`
  pragma busy_timeout = 10000;
  create table if not exists purchases (reference text primary key, player text not null);
  create table if not exists supply_orders (
    reference text primary key references purchases, -- the idempotency key
    request text not null, -- the body, sent byte for byte each time
    status int, -- null until the outcome is known
    answer text)`)

if (reference !== undefined && player !== undefined) recordPurchase(reference, player)
const open = db.prepare('select reference, request from supply_orders where status is null').all()
for (const { reference, request } of open) await placeOrder(String(reference), String(request))

/** Step 1: the purchase, its key and its request come in one transaction. */
function recordPurchase(reference: string, player: string): void {
  const items = [{ productId: 101, quantity: 1, deliveryData: { gameUserId: player } }]
  const request = JSON.stringify({ externalOrderId: reference, items })
  db.exec('begin immediate')
  db.prepare('insert or ignore into purchases values (?, ?)').run(reference, player)
  const insert = 'insert or ignore into supply_orders (reference, request) values (?, ?)'
  db.prepare(insert).run(reference, request)
  db.exec('commit')
}

/** Step 2: the same request again, until the outcome is known. Step 3: record it. */
async function placeOrder(reference: string, request: string): Promise<void> {
  for (let seconds = 1; ; seconds = Math.min(2 * seconds, 60)) {
    const { status, retryAfter, body } = await post(reference, request)
    const isOrdered = [200, 201].includes(status) && typeof body?.data?.code === 'string'
    const isRefused = [400, 409, 422].includes(status) && typeof body?.code === 'string'
    if (isOrdered || isRefused) {
      const update = 'update supply_orders set status = ?, answer = ? where reference = ?'
      db.prepare(update).run(status, JSON.stringify(body), reference)
      const outcome = isOrdered ? `ordered as ${body.data.code}` : `refused, ${body.code}`
      console.log(`${reference}: ${outcome}`)
      return
    }
    // A repeat does not fix the API key. The purchase stays open.
    if (status === 401 || status === 403) throw new Error(JSON.stringify(body))
    // 402, 408, 429, 5xx, a response of another program, or none: the purchase stays open.
    console.error(`${reference}: ${status === 0 ? 'no answer' : `${status} ${body?.code}`}, again`)
    await pause(1000 * Math.min(Math.max(retryAfter || 0, seconds), 3600))
  }
}

/** The response. Status 0: none or only a part, so the outcome is unknown. */
async function post(key: string, request: string) {
  try {
    const response = await fetch(`${BASE_URL}/b2b/orders`, {
      method: 'POST',
      headers: { ...headers, 'X-Idempotency-Key': key },
      body: request,
      redirect: 'manual', // a redirect would carry the key to another server
      signal: AbortSignal.timeout(30_000),
    })
    const retryAfter = Number(response.headers.get('Retry-After'))
    return { status: response.status, retryAfter, body: JSON.parse(await response.text()) }
  } catch {
    return { status: 0, retryAfter: 0, body: undefined }
  }
}
