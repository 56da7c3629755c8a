import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import { maxCodeLength } from '../answer.ts'
import type { Ask } from '../api.ts'
import { readAnswer } from '../body.ts'
import { type SupplierOutcome, unusable } from '../outcome.ts'
import { list, object, text } from '../parts.ts'
import { type KinguinOrder, readSku } from './order.ts'
import { lost } from './refusal.ts'

/** A key of an order. `id` is null if the API does not name its keys; `serial` is empty if it is no text. */
export type KinguinKey = { id: string | null; serial: string; type: string }

const maxKeysOfPage = 100
// The largest valid key is an image in base64.
const keyBytes = 128 * 1024

const name = v.pipe(text, v.maxLength(200, 'is longer than 200 characters'))
const keySchema = object({
  id: v.nullish(v.pipe(v.union([name, v.number()], 'must be an id'), v.transform(String)), null),
  serial: text,
  type: name,
  productId: v.nullish(name, null),
})
const keysSchema = v.pipe(list(keySchema), v.maxLength(maxKeysOfPage, `holds more than ${maxKeysOfPage} keys`))

/**
 * Downloads the keys of an order page by page, or returns the outcome if that fails. Stops at the last page, or when it
 * has more keys that are `isGood` than were ordered. Pages shift while keys are delivered, so a key on two pages counts
 * once.
 */
export async function downloadKeys(
  ask: Ask,
  call: SupplierCall,
  order: KinguinOrder,
  isGood: (key: KinguinKey) => boolean,
): Promise<KinguinKey[] | SupplierOutcome> {
  const { productId } = readSku(call.sku) ?? {}
  // One key more than ordered shows a surplus.
  const limit = Math.min(maxKeysOfPage, call.quantity + 1)
  const maxBytes = Math.min(limit * keyBytes, 1024 * 1024)
  const keys = new Map<string, KinguinKey>()
  for (let page = 1; ; page += 1) {
    const query = { page: String(page), limit: String(limit) }
    const path = `/v2/order/${order.orderId}/keys`
    const exchange = await ask({ path, query, maxBytes })
    if (!('answer' in exchange) || exchange.answer.status !== 200) return lost(call, exchange)
    const { answer } = exchange
    const refuse = (problem: string) => unusable(call, answer, problem, { mayHoldKeys: true })
    const read = readAnswer(keysSchema, answer)
    if (!read.ok) return refuse(read.problem)
    if (read.value.some((key) => key.productId !== null && key.productId !== productId)) {
      return refuse('it holds keys of another product')
    }
    const before = keys.size
    for (const { id, serial, type } of read.value) {
      const isText = type === 'text/plain'
      if (isText && serial.length > maxCodeLength) return refuse(`a key is longer than ${maxCodeLength} characters`)
      keys.set(id ?? `serial ${serial.slice(0, maxCodeLength)}`, { id, type, serial: isText ? serial : '' })
    }
    // A short page is the end where all have come; else pages may be shorter than was asked for.
    const isShort = read.value.length < limit
    const good = [...keys.values()].filter(isGood).length
    const isEnough = good > call.quantity || (isShort && keys.size >= call.quantity)
    if (keys.size === before || isEnough) return [...keys.values()]
  }
}
