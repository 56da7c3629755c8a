import * as v from 'valibot'
import type { BalanceReading } from './adapter.ts'
import { readAnswer } from './body.ts'
import type { Exchange } from './exchange.ts'
import { number, object, text } from './parts.ts'

/** An amount of our money there; it may be negative. */
export const amount = v.pipe(number, v.minValue(-1e12, 'is too small'), v.maxValue(1e12, 'is too large'))
const currency = v.pipe(text, v.regex(/^[A-Z]{3}$/, 'must be a currency'))

/** A body with our balance and its currency. */
export const balanceSchema = object({ balance: amount, currency })
/** The same in the envelope of this service's family. */
export const envelopedBalance = v.pipe(
  object({ data: balanceSchema }),
  v.transform(({ data }) => data),
)
/** A body of a supplier whose money is all in euros. */
export const balanceInEuro = v.pipe(
  object({ balance: amount }),
  v.transform(({ balance }) => ({ balance, currency: 'EUR' })),
)

/** Our balance as an answer tells it in the form of a schema. */
export function readBalance(
  exchange: Exchange,
  schema: v.GenericSchema<unknown, { balance: number; currency: string }>,
): BalanceReading {
  if (!('answer' in exchange)) return { ok: false, error: exchange.lost }
  const { status } = exchange.answer
  if (status !== 200) return { ok: false, error: `HTTP ${status}`, httpStatus: status }
  const read = readAnswer(schema, exchange.answer)
  return read.ok ? { ok: true, ...read.value } : { ok: false, error: `the answer is unusable: ${read.problem}` }
}
