import { UnknownOutcomeError } from './errors.ts'
import { type Pace, retry } from './retry.ts'
import { type Call, type Limits, newRequestId, send, type Target } from './transport.ts'
import type { Order, OrderPage, OrderRequest } from './types.ts'

/** Where to place an order, and whether it can be looked up there by its reference. */
export type Place = { path: string; hasLookUp: boolean }

type Options = Pace & { timeoutMs: number; idempotencyKey?: string }

/** The statuses with which the service refuses to place an order. They say so of an earlier try as well. */
const decisive = [400, 402, 409, 422]

/**
 * Places an order, and repeats the same bytes under the same key until the outcome is known or the time is up. Then it
 * looks the order up, once, where its `externalOrderId` is its key.
 */
export async function placeOrder<Placed extends Order>(
  target: Target,
  { path, hasLookUp }: Place,
  order: OrderRequest,
  options: Options,
): Promise<Placed> {
  const { timeoutMs, idempotencyKey = order.externalOrderId, ...pace } = options
  if (typeof order.externalOrderId !== 'string' || order.externalOrderId === '')
    throw new TypeError('an order needs an externalOrderId')
  const limits = { timeoutMs, signal: pace.signal, requestId: newRequestId() }
  const call: Call = {
    method: 'POST',
    path,
    body: JSON.stringify(order),
    headers: keyHeader(order, idempotencyKey),
  }
  // Whether a try may have placed the order without our hearing of it.
  let uncertain = false
  const unknown = (cause: unknown) =>
    new UnknownOutcomeError(
      { externalOrderId: order.externalOrderId, idempotencyKey },
      { requestId: limits.requestId, cause },
    )
  const attempt = async () => {
    pace.signal?.throwIfAborted()
    const wasUncertain = uncertain
    uncertain = true
    const outcome = await send(target, call, limits)
    if (outcome.kind === 'answered') return { done: outcome.data as Placed }
    if (outcome.kind === 'later') {
      uncertain = wasUncertain || !outcome.undone
      return { again: outcome.error, retryAfterMs: outcome.retryAfterMs }
    }
    if (outcome.kind === 'refused') uncertain = wasUncertain && !decisive.includes(outcome.error.status)
    throw outcome.error
  }
  try {
    const tried = await retry<Placed>(attempt, pace)
    if ('done' in tried) return tried.done
    throw tried.gaveUp
  } catch (error) {
    if (!uncertain) throw error
    const isFindable = hasLookUp && idempotencyKey === order.externalOrderId
    const found = isFindable ? await lookUp<Placed>(target, path, order, limits) : undefined
    if (found !== undefined) return found
    throw unknown(error)
  }
}

/**
 * The header of the key. Not every text can stand in a header as it is: an `externalOrderId` that cannot is the key
 * without one.
 */
function keyHeader(order: OrderRequest, key: string): { [name: string]: string } {
  if (/^[\x20-\x7e]{1,255}$/.test(key) && key.trim() === key) return { 'x-idempotency-key': key }
  if (key === order.externalOrderId) return {}
  throw new TypeError('an idempotencyKey is 1 to 255 printable ASCII characters without spaces around them')
}

/** The order that was placed under its reference, if there is just one and it asks for the same. Never throws. */
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
    if (listed.kind !== 'answered') return undefined
    const [found, ...others] = (listed.data as OrderPage['data']).orders
    if (found === undefined || others.length > 0 || !asksForTheSame(found, order)) return undefined
    const address = `${path}/${encodeURIComponent(found.code)}`
    const read = await send(target, { method: 'GET', path: address }, limits)
    return read.kind === 'answered' ? (read.data as Placed) : undefined
  } catch {
    return undefined
  }
}

function asksForTheSame(found: Order, order: OrderRequest): boolean {
  const placed = quantities(found.items.map(({ productId, amount }) => [productId, amount]))
  const wanted = quantities(order.items.map(({ productId, quantity }) => [productId, quantity ?? 1]))
  return placed === wanted && found.callbackUrl === (order.callbackUrl ?? null)
}

/** How many of each product, as a text. An item that was delivered in part has become two. */
function quantities(items: [productId: number, quantity: number][]): string {
  const sums = new Map<number, number>()
  for (const [productId, quantity] of items) sums.set(productId, (sums.get(productId) ?? 0) + quantity)
  return JSON.stringify([...sums].sort(([a], [b]) => a - b))
}
