import { randomUUID } from 'node:crypto'
import { RefusedError, UnknownOutcomeError } from './errors.ts'
import { type Pace, retry } from './retry.ts'
import { type Call, type Limits, send, type Target } from './transport.ts'
import type { Order, OrderPage, OrderRequest } from './types.ts'

/** Where to place an order, and whether it can be looked up there by its reference. */
export type Place = { path: string; hasLookUp: boolean }

type Options = Pace & { timeoutMs: number; idempotencyKey?: string }

/** The statuses that refuse an order under this key for good: also one that an earlier request may have placed. */
const decisive = [400, 402, 409, 422]

/**
 * Places an order. Repeats the same bytes under the same key until the outcome is known or the time is up. Then it
 * looks the order up once, if its `externalOrderId` is its key.
 */
export async function placeOrder<Placed extends Order>(
  target: Target,
  { path, hasLookUp }: Place,
  order: OrderRequest,
  options: Options,
): Promise<Placed> {
  const { externalOrderId } = order
  const { timeoutMs, idempotencyKey = externalOrderId, ...pace } = options
  if (typeof externalOrderId !== 'string' || externalOrderId === '')
    throw new TypeError('an order needs an externalOrderId')
  const headers = keyHeader(externalOrderId, idempotencyKey)
  const call: Call = { method: 'POST', path, body: JSON.stringify(order), headers }
  const limits = { timeoutMs, signal: pace.signal, requestId: randomUUID() }
  // Whether a request may have placed the order although this client does not know it.
  let isUncertain = false
  const attempt = async () => {
    const wasUncertain = isUncertain
    isUncertain = true
    const outcome = await send(target, call, limits)
    if ('error' in outcome) {
      const isDecided = outcome.error instanceof RefusedError && decisive.includes(outcome.error.status)
      isUncertain = !isDecided && (wasUncertain || !outcome.isUndone)
    }
    return outcome
  }
  try {
    const outcome = await retry(attempt, pace)
    if ('data' in outcome) return outcome.data as Placed
    throw outcome.error
  } catch (cause) {
    if (!isUncertain) throw cause
    const isFindable = hasLookUp && idempotencyKey === externalOrderId
    const found = isFindable ? await lookUp<Placed>(target, path, order, limits) : undefined
    if (found !== undefined) return found
    const { requestId } = limits
    throw new UnknownOutcomeError({ externalOrderId, idempotencyKey }, { requestId, cause })
  }
}

/** The header of the key. An `externalOrderId` that cannot be sent in a header is the key without one. */
function keyHeader(externalOrderId: string, key: string): { [name: string]: string } {
  if (/^[\x20-\x7e]{1,255}$/.test(key) && key.trim() === key) return { 'x-idempotency-key': key }
  if (key === externalOrderId) return {}
  throw new TypeError('an idempotencyKey is 1 to 255 printable ASCII characters without spaces around them')
}

/** The order that was placed under its reference, if there is exactly one and it asks for the same. Never throws. */
async function lookUp<Placed extends Order>(
  target: Target,
  path: string,
  order: OrderRequest,
  limits: Limits,
): Promise<Placed | undefined> {
  if (limits.signal?.aborted) return undefined
  try {
    const query = { externalOrderId: order.externalOrderId, limit: 2 }
    const listed = await send(target, { method: 'GET', path, query }, limits)
    if ('error' in listed) return undefined
    const [found, ...others] = (listed.data as OrderPage).orders
    if (found === undefined || others.length > 0 || !asksForTheSame(found, order)) return undefined
    const address = `${path}/${encodeURIComponent(found.code)}`
    const read = await send(target, { method: 'GET', path: address }, limits)
    return 'data' in read ? (read.data as Placed) : undefined
  } catch {
    return undefined
  }
}

function asksForTheSame(found: Order, order: OrderRequest): boolean {
  const placed = quantities(found.items.map(({ productId, amount }) => [productId, amount]))
  const wanted = quantities(order.items.map(({ productId, quantity }) => [productId, quantity ?? 1]))
  return placed === wanted && found.callbackUrl === (order.callbackUrl ?? null)
}

/** The quantity of each product, as text. An item that was delivered in part has become two. */
function quantities(items: [productId: number, quantity: number][]): string {
  const sums = new Map<number, number>()
  for (const [productId, quantity] of items) sums.set(productId, (sums.get(productId) ?? 0) + quantity)
  return JSON.stringify([...sums].sort(([a], [b]) => a - b))
}
