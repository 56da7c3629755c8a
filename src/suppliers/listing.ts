import * as v from 'valibot'
import type { Listing } from './adapter.ts'
import { readAnswer } from './body.ts'
import type { Exchange } from './exchange.ts'
import { number } from './parts.ts'

/** What a request of a list gave; or why there is no list. */
export type Listed<T> = { ok: true; value: T } | Extract<Listing, { ok: false }>

/** A number of units in a list. */
export const stock = v.pipe(
  number,
  v.safeInteger('must be an integer'),
  v.minValue(0, 'must be 0 or more'),
  v.maxValue(2_147_483_647, 'is too large'),
)

/** Reads the answer to a request of a list by a schema. */
export function readListed<Schema extends v.GenericSchema>(
  schema: Schema,
  exchange: Exchange,
): Listed<v.InferOutput<Schema>> {
  if (!('answer' in exchange)) return { ok: false, error: exchange.lost }
  const { status } = exchange.answer
  if (status !== 200) return { ok: false, error: `HTTP ${status}`, httpStatus: status }
  const read = readAnswer(schema, exchange.answer)
  return read.ok ? read : { ok: false, error: `the answer is unusable: ${read.problem}` }
}
