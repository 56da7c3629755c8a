import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import { codesLimit, problemOf } from '../answer.ts'
import { readJsonBody } from '../body.ts'
import { type SupplierOutcome, unusable } from '../outcome.ts'
import { type Gateway, lost } from './gateway.ts'
import { type KinguinOrder, readSku } from './order.ts'

/** A key of an order. `id` is null where the API does not name its keys. */
export type KinguinKey = { id: string | null; serial: string; type: string }

const pageLimit = 100

const keysSchema = v.array(
  v.object(
    {
      id: v.nullish(v.pipe(v.union([v.string(), v.number()], 'must be an id'), v.transform(String)), null),
      serial: v.string('must be a string'),
      type: v.string('must be a string'),
      productId: v.nullish(v.string('must be a string'), null),
    },
    'must be an object',
  ),
  'must be an array',
)

/**
 * Downloads the keys of an order, page by page to the end, or returns the outcome where that fails. A key that comes on
 * two pages, as pages shift while keys are delivered, is one.
 */
export async function downloadKeys(
  gateway: Gateway,
  call: SupplierCall,
  order: KinguinOrder,
  signal: AbortSignal,
): Promise<KinguinKey[] | SupplierOutcome> {
  const keys = new Map<string, KinguinKey>()
  for (let page = 1; ; page += 1) {
    const query = { page: String(page), limit: String(pageLimit) }
    const exchange = await gateway({ path: `/v2/order/${order.orderId}/keys`, query }, signal)
    if (!('answer' in exchange) || exchange.answer.status !== 200) return lost(call, exchange)
    const { answer } = exchange
    const read = readJsonBody(answer)
    const refuse = (problem: string) => unusable(call, answer, problem, { mayHoldKeys: true })
    if (!read.readable) return refuse(read.problem)
    const parsed = v.safeParse(keysSchema, read.value, { abortEarly: true })
    if (!parsed.success) return refuse(problemOf(parsed.issues[0]))
    const { productId } = readSku(call.sku) ?? {}
    if (parsed.output.some((key) => key.productId !== null && key.productId !== productId)) {
      return refuse('it holds keys of another product')
    }
    const before = keys.size
    for (const { id, serial, type } of parsed.output) keys.set(id ?? `serial ${serial}`, { id, serial, type })
    if (keys.size > codesLimit) return refuse(`it holds more than ${codesLimit} keys`)
    // A short page is the end where all have come; else pages may be shorter than was asked for.
    const isShort = parsed.output.length < pageLimit
    if (keys.size === before || (isShort && keys.size >= call.quantity)) return [...keys.values()]
  }
}
