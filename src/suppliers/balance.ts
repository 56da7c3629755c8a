import * as v from 'valibot'
import type { BalanceReading } from './adapter.ts'
import type { Exchange } from './exchange.ts'
import { readListed } from './listing.ts'
import { currency, number, object } from './parts.ts'

/** An amount of our money there; it may be negative. */
export const amount = v.pipe(number, v.minValue(-1e12, 'is too small'), v.maxValue(1e12, 'is too large'))

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
  const read = readListed(schema, exchange)
  return read.ok ? { ok: true, ...read.value } : read
}
